import { type StatusObject, status } from '@grpc/grpc-js';
import { isMissingKey, MISSING_KEY, RequestMistake } from '../descriptors/request-mistake.js';

/** How a call ends without a decision. */
export type CallError = Pick<StatusObject, 'code' | 'details'>;

/** Returns the status of a call that failed. It says what the caller can mend, and nothing else of the reason. */
export function statusOfError(error: unknown): CallError {
  if (error instanceof RequestMistake) return { code: status.INVALID_ARGUMENT, details: error.message };
  if (isMissingKey(error)) return { code: status.INVALID_ARGUMENT, details: MISSING_KEY };
  return { code: status.INTERNAL, details: 'the request could not be decided' };
}
