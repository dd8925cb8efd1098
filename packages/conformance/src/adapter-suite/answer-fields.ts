import type { ClientAnswer } from './client.js';

/** Returns the header fields about limits, by name in lower case. */
export function limitFields({ headers }: ClientAnswer): Record<string, string> {
  const fields = Object.entries(headers).filter(([name]) => /^((x-)?ratelimit(-|$)|retry-after$)/.test(name));
  return Object.fromEntries(fields) as Record<string, string>;
}

/** Returns the remaining units in a `RateLimit` field, by the name of the limit. */
export function available({ headers }: ClientAnswer): Record<string, number> {
  const items = String(headers.ratelimit ?? '').matchAll(/"([^"]*)";r=(\d+)/g);
  return Object.fromEntries([...items].map(([, name, units]) => [name, Number(units)]));
}

/** Returns the parts that all of Sluice's own responses have: a body, and a field that forbids caching. */
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
