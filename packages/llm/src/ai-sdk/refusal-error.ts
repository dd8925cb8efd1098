import type { Decision } from '@sluice/core';
import { APICallError } from 'ai';
import type { Llm } from '../llm.js';

/** The `ai` package waits no longer than this between tries. */
const LONGEST_RETRY_MS = 60_000;

type AnswerPolicy<Subject> = Llm<[Subject]>['policy'];

/** The header fields of the answer that a call gets, as the `ai` package reads them. */
export type AnswerFields = Readonly<Record<string, string>>;

/**
 * Returns the header fields for a decided call, as HTTP clients get them. This also tells the policy which reservation the
 * call has.
 */
export async function answerFields<Subject>(
  { extraHeaders }: AnswerPolicy<Subject>,
  subject: Subject,
  decision: Decision,
): Promise<AnswerFields> {
  const fields = typeof extraHeaders === 'function' ? await extraHeaders(subject, decision) : extraHeaders;
  const stated = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(stated.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/**
 * Returns the error for a refused call: an `APICallError`, which the `ai` package retries after `retry-after-ms` if it makes
 * sense, and otherwise not at all.
 */
export async function refusalError<Subject>(
  policy: AnswerPolicy<Subject>,
  subject: Subject,
  { decision, fields }: { readonly decision: Decision; readonly fields: AnswerFields },
): Promise<Error> {
  const statusCode = await resolved(policy.statusCode, subject, decision);
  const content = await resolved(policy.message ?? policy.problem, subject, decision);
  const waitMs = Number(fields['retry-after-ms'] ?? Number.NaN);
  return new APICallError({
    message: messageOf(content) ?? `The policy ${JSON.stringify(decision.policy)} refused the call.`,
    url: 'sluice:',
    requestBodyValues: {},
    statusCode: statusCode ?? 429,
    responseHeaders: { ...fields },
    responseBody: JSON.stringify(content),
    isRetryable: fields['x-should-retry'] !== 'false' && waitMs <= LONGEST_RETRY_MS,
    data: content,
  });
}

/** Returns a value of a policy, which may be a function of the call. */
async function resolved<Subject, T>(
  value: T | ((subject: Subject, decision: Decision) => T | Promise<T>) | undefined,
  subject: Subject,
  decision: Decision,
): Promise<T | undefined> {
  return value instanceof Function ? await value(subject, decision) : value;
}

/** The sentences that tell a person why, where the form of the body has them. */
function messageOf(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null || !('error' in content)) return undefined;
  const { error } = content;
  const isError = typeof error === 'object' && error !== null && 'message' in error;
  return isError && typeof error.message === 'string' ? error.message : undefined;
}
