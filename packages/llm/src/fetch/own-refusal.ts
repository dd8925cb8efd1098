import type { SluiceError } from '@sluice/core';
import { isHonoured } from '../answer/client-fields.js';
import { dialectOf } from '../dialects/dialects.js';
import type { Format } from '../dialects/format.js';

/**
 * The answer to a call that was not sent. SDKs make their rate limit error of it, or their error of a server that is away, and
 * do not try again.
 */
export function ownRefusal(
  { code, message, retryAfterMs }: SluiceError,
  format: Format = 'openai-completions',
): Response {
  const isAway = code === 'SLUICE_UNAVAILABLE';
  const status = isAway ? 503 : 429;
  const headers = new Headers({ 'x-should-retry': 'false' });
  if (typeof retryAfterMs === 'number') {
    headers.set('retry-after', String(Math.ceil(retryAfterMs / 1000)));
    if (isHonoured(retryAfterMs)) headers.set('retry-after-ms', String(retryAfterMs));
  }
  const { vendor } = dialectOf(format);
  return Response.json(vendor.errorBody({ kind: isAway ? 'unavailable' : 'rate', status, message }), {
    status,
    headers,
  });
}
