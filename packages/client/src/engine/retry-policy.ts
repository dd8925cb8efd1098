import { pickFields } from '../headers/fields.js';
import { readRetryAfter } from '../headers/retry-after.js';
import type { AnswerHead, Outcome } from './exchange.js';

/** When a request is sent again, as parsed from the options. */
export interface RetryPolicy {
  /** How often a request is sent at most. */
  readonly attempts: number;
  readonly methods: ReadonlySet<string>;
  /** The retries as a part of the requests. */
  readonly budget: number;
  /** The longest pause before the first retry, where the server states none. It doubles with each further retry. */
  readonly baseMs: number;
}

/** Methods whose repetition has the effect of one request (RFC 9110 section 9.2.2, and QUERY). No transport here counts TRACE. */
export const IDEMPOTENT = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'QUERY'] as const;

const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;

/** Statuses by which a server asks all clients to stop: 529 is the overload of Anthropic and others. */
const STOPPING: ReadonlySet<number> = new Set([TOO_MANY_REQUESTS, 503, 529]);

/** Statuses after which the same request may succeed a little later. */
const PASSING: ReadonlySet<number> = new Set([...STOPPING, 408, 500, 502, 504]);

/** The longest pause of our own. It bounds the doubling; times that a server states are never cut. */
const LONGEST_BACKOFF_MS = 30_000;

/** The field by which a 403 without a time is about a limit, as GitHub sends it. */
const REMAINING: ReadonlySet<string> = new Set(['x-ratelimit-remaining']);

/** Whether the server asks all clients to stop. */
export function isStopping({ head }: Outcome): boolean {
  return head !== undefined && (STOPPING.has(head.status) || isOverLimit(head));
}

/** Whether the outcome may be another one next time. What somebody has ended stays ended. */
export function mayPass({ head, error }: Outcome): boolean {
  if (head) return PASSING.has(head.status) || isOverLimit(head);
  return !isAbort(error);
}

/** Whether the server refuses because a limit is used up: by a 429, or by a 403 that says so in its fields. */
export function isOverLimit({ status, headers }: AnswerHead): boolean {
  if (status !== FORBIDDEN) return status === TOO_MANY_REQUESTS;
  const left = pickFields(headers, REMAINING).get('x-ratelimit-remaining');
  return left?.trim() === '0' || readRetryAfter(headers) !== undefined;
}

/** Whether somebody has ended the request. The error may be of another copy of its class. */
export function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}

/** Whether the request may be sent twice. */
export function isRepeatable({ methods }: RetryPolicy, head: Request): boolean {
  return methods.has(head.method.toUpperCase()) || head.headers.has('idempotency-key');
}

/**
 * Returns a pause with full jitter, where the server states no time: any time from 0 to `baseMs * 2^(attempt - 1)`.
 *
 * @see Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015
 */
export function backoffMs({ baseMs }: RetryPolicy, attempt: number, random: () => number): number {
  return Math.ceil(random() * Math.min(LONGEST_BACKOFF_MS, baseMs * 2 ** (attempt - 1)));
}
