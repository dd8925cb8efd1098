import type { SluiceError } from '@sluice/core';
import { LlmCallError } from '../call/call-error.js';
import type { ClientError } from '../dialects/vendor.js';
import { type CallRefusal, isByBudget } from './call-refusal.js';
import { TRY_AGAIN } from './refusal-text.js';

/** Returns the error of a refusal. A vendor writes it in its own words. */
export function errorOfRefusal(refusal: CallRefusal, message: string, status: number): ClientError {
  const { kind, main, retryAfterMs } = refusal;
  const counts = main?.limit?.dimension.counts;
  const isOfRequests = counts === undefined || counts === 'requests' || counts === 'slots';
  return {
    kind: isByBudget(refusal) ? 'budget' : kind === 'held' ? 'rate' : kind,
    status,
    message,
    counts: isOfRequests ? 'requests' : 'tokens',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Returns the error of a call that is not asked about: its body is none, or a file that it names cannot be read at the moment. */
export function errorOfCall(error: SluiceError): ClientError {
  if (!(error instanceof LlmCallError)) return { kind: 'unavailable', status: 503, message: TRY_AGAIN };
  const { field, message, status } = error;
  return { kind: 'invalid', status, message, field };
}
