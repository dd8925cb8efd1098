import type { SluiceError } from '@sluice/core';
import { isHonoured } from '../answer/client-fields.js';
import type { Format } from '../call/llm-call.js';

/**
 * The answer to a call that was not sent. SDKs make their rate limit error of it, or their error of a server that is away, and
 * do not try again.
 */
export function ownRefusal({ code, message, retryAfterMs }: SluiceError, format: Format | undefined): Response {
  const isAway = code === 'SLUICE_UNAVAILABLE';
  const [type, openAiType, openAiCode] = isAway
    ? ['overloaded_error', 'server_error', 'service_unavailable']
    : ['rate_limit_error', 'requests', 'rate_limit_exceeded'];
  const error =
    format === 'anthropic-messages'
      ? { type: 'error', error: { type, message } }
      : { error: { message, type: openAiType, param: null, code: openAiCode } };
  const headers = new Headers({ 'x-should-retry': 'false' });
  if (typeof retryAfterMs === 'number') {
    headers.set('retry-after', String(Math.ceil(retryAfterMs / 1000)));
    if (isHonoured(retryAfterMs)) headers.set('retry-after-ms', String(retryAfterMs));
  }
  return Response.json(error, { status: isAway ? 503 : 429, headers });
}
