import type { LlmCallError } from '../call/call-error.js';
import type { ClientError } from '../dialects/vendor.js';
import { type CallRefusal, isByBudget } from './call-refusal.js';

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

/** Returns the error of a body that is no call. */
export function errorOfCall({ field, message, status }: LlmCallError): ClientError {
  return { kind: 'invalid', status, message, field };
}
