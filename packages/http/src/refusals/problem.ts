// Why it is so: core/docs/why/fields-and-refusals.md

import { reasonPhrase } from './reason-phrase.js';

/** The response that replaces the one that the request wanted. */
export interface Refusal {
  /** The status code. */
  readonly status: number;
  /** Always these two: `Content-Type` and `Cache-Control`. */
  readonly headers: Readonly<Record<'Content-Type' | 'Cache-Control', string>>;
  /** The body, as it is sent. */
  readonly body: string;
}

const PROBLEM = headersOf('application/problem+json');
const TEXT = headersOf('text/plain; charset=utf-8');
const JSON_DATA = headersOf('application/json; charset=utf-8');

/** A refusal is valid for one client at one moment, so no cache may keep it. */
function headersOf(contentType: string): Refusal['headers'] {
  return Object.freeze({ 'Content-Type': contentType, 'Cache-Control': 'no-store' });
}

const PROBLEM_TYPES = 'https://iana.org/assignments/http-problem-types';

/**
 * The refusal of a limit: problem details (RFC 9457) of the type that draft-ietf-httpapi-ratelimit-headers-11 section
 * 5.1 registers.
 *
 * @param violated - the names, as in the header fields, of the enforced limits that refused, as a JSON list
 * @param retryAfterSeconds - the value of `Retry-After`; undefined if waiting does not help
 * @param status - 429, unless the policy's `statusCode` says otherwise
 */
export function quotaExceeded(violated: string, retryAfterSeconds: number | undefined, status: number = 429): Refusal {
  const body = `{"type":"${PROBLEM_TYPES}#quota-exceeded","title":"Quota Exceeded","status":${status},"detail":"${advice(
    retryAfterSeconds,
  )}","violated-policies":${violated}}`;
  return { status, headers: PROBLEM, body };
}

/**
 * The refusal of a key that is blocked by hand: draft-ietf-httpapi-ratelimit-headers-11 section 5.3.
 *
 * @param violated - the names, as in the header fields, of the enforced limits that refused, as a JSON list
 * @param retryAfterSeconds - the value of `Retry-After`; undefined for a block without end
 * @param status - 429, or 403 for a block without end, unless the policy's `statusCode` says otherwise
 */
export function abnormalUsage(
  violated: string,
  retryAfterSeconds: number | undefined,
  status: number = retryAfterSeconds === undefined ? 403 : 429,
): Refusal {
  const detail =
    retryAfterSeconds === undefined ? 'Access is blocked.' : `Access is blocked. ${advice(retryAfterSeconds)}`;
  const body = `{"type":"${PROBLEM_TYPES}#abnormal-usage-detected","title":"Abnormal Usage Detected","status":${status},"detail":"${detail}","violated-policies":${violated}}`;
  return { status, headers: PROBLEM, body };
}

function advice(seconds: number | undefined): string {
  if (seconds === undefined) return 'This request can never fit in what is left; waiting does not help.';
  return `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

/** The refusal if the store fails and the policy refuses then: draft-ietf-httpapi-ratelimit-headers-11 section 5.2. */
export const REDUCED_CAPACITY: Refusal = problem({
  type: `${PROBLEM_TYPES}#temporary-reduced-capacity`,
  title: 'Temporary Reduced Capacity',
  status: 503,
  detail: 'The service cannot answer this request at the moment. Try again soon.',
});

/** The refusal of an address on the deny list. The status says everything (RFC 9457 section 4.2.1). */
export const FORBIDDEN: Refusal = problem({ type: 'about:blank', title: 'Forbidden', status: 403 });

/** The refusal of a request without a key, with the status (400 to 499) of the policy's `onMissingKey`. */
export function missingKey(status: number): Refusal {
  return problem({ type: 'about:blank', title: reasonPhrase(status) ?? 'Client Error', status });
}

function problem(details: { type: string; title: string; status: number; detail?: string }): Refusal {
  return Object.freeze(problemRefusal(details));
}

/** The refusal whose body is a problem with these members. */
export function problemRefusal(
  members: Readonly<Record<string, unknown>> & { readonly title: string; readonly status: number },
): Refusal {
  return { status: members.status, headers: PROBLEM, body: JSON.stringify(members) };
}

/** The members that say which problem it is. They are the same for all applications. */
export const FIXED_MEMBERS = ['type', 'status', 'violated-policies'] as const;

/** Returns a refusal with further members in its problem. A `title` and a `detail` among them replace the usual ones. */
export function withMembers(refusal: Refusal, members: Readonly<Record<string, unknown>>): Refusal {
  const before: Record<string, unknown> = JSON.parse(refusal.body);
  const fixed = Object.fromEntries(
    Object.entries(before).filter(([name]) => FIXED_MEMBERS.some((own) => own === name)),
  );
  return { ...refusal, body: JSON.stringify({ ...before, ...members, ...fixed }) };
}

/** The refusal with a policy's `message` instead of the problem details: text as text, anything else as JSON. */
export function customRefusal(message: string | Readonly<Record<string, unknown>>, status: number = 429): Refusal {
  return typeof message === 'string'
    ? { status, headers: TEXT, body: message }
    : { status, headers: JSON_DATA, body: JSON.stringify(message) };
}
