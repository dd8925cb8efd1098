import type { ClientAnswer } from './client.js';

/** Of an answer's header fields those that tell of limits, by name in lower case. */
export function limitFields({ headers }: ClientAnswer): Record<string, string> {
  const fields = Object.entries(headers).filter(([name]) => /^((x-)?ratelimit(-|$)|retry-after$)/.test(name));
  return Object.fromEntries(fields) as Record<string, string>;
}

/** What a `RateLimit` field says is left, by limit name. */
export function available({ headers }: ClientAnswer): Record<string, number> {
  const items = String(headers.ratelimit ?? '').matchAll(/"([^"]*)";r=(\d+)/g);
  return Object.fromEntries([...items].map(([, name, units]) => [name, Number(units)]));
}

/** What all of Sluice's own answers have: a body that no cache keeps. */
export function ownAnswer({ status, headers, body }: ClientAnswer): Record<string, unknown> {
  return { status, type: headers['content-type'], cache: headers['cache-control'], body };
}

/** Problem details as they are sent. */
export function problem(status: number, body: string): Record<string, unknown> {
  return { status, type: 'application/problem+json', cache: 'no-store', body };
}

/** The problem of a request that violates these limits. */
export function quotaExceeded(violated: readonly string[], seconds: number, status = 429): Record<string, unknown> {
  const type = 'https://iana.org/assignments/http-problem-types#quota-exceeded';
  const detail = `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const details = { type, title: 'Quota Exceeded', status, detail, 'violated-policies': violated };
  return problem(status, JSON.stringify(details));
}
