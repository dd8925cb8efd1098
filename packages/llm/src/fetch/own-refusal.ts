import type { SluiceError } from '@sluice/core';
import { isHonoured } from '../answer/client-fields.js';
import type { Format } from '../call/llm-call.js';

/** The answer to a call that was not sent. SDKs make their rate limit error of it, and do not try again. */
export function ownRefusal({ message, retryAfterMs }: SluiceError, format: Format | undefined): Response {
  const error =
    format === 'anthropic-messages'
      ? { type: 'error', error: { type: 'rate_limit_error', message } }
      : { error: { message, type: 'requests', param: null, code: 'rate_limit_exceeded' } };
  const headers = new Headers({ 'x-should-retry': 'false' });
  if (typeof retryAfterMs === 'number') {
    headers.set('retry-after', String(Math.ceil(retryAfterMs / 1000)));
    if (isHonoured(retryAfterMs)) headers.set('retry-after-ms', String(retryAfterMs));
  }
  return Response.json(error, { status: 429, headers });
}
