import type { Decision } from '@sluice/core';
import { APICallError } from 'ai';
import type { Llm } from '../llm.js';

const REFUSED = 429;
/** The store failed, and `onStoreError` is `'deny'`. */
const UNAVAILABLE = 503;

type AnswerPolicy<Subject> = Llm<[Subject]>['policy'];

/** The header fields of the answer that a call gets, as the `ai` package reads them. */
type AnswerFields = Readonly<Record<string, string>>;

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
  const { statusCode, message, problem } = policy;
  const status = typeof statusCode === 'function' ? await statusCode(subject, decision) : statusCode;
  const body = message ?? problem;
  const content = typeof body === 'function' ? await body(subject, decision) : body;
  return new APICallError({
    message: messageOf(content) ?? `The policy ${JSON.stringify(decision.policy)} refused the call.`,
    url: 'sluice:',
    requestBodyValues: {},
    statusCode: decision.source === 'deny' ? UNAVAILABLE : (status ?? REFUSED),
    responseHeaders: { ...fields },
    responseBody: JSON.stringify(content),
    isRetryable: fields['x-should-retry'] !== 'false',
    data: content,
  });
}

/** The sentences that tell a person why, where the form of the body has them. */
function messageOf(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null || !('error' in content)) return undefined;
  const { error } = content;
  const isError = typeof error === 'object' && error !== null && 'message' in error;
  return isError && typeof error.message === 'string' ? error.message : undefined;
}
