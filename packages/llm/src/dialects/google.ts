import type { JsonObject } from '../json-object.js';
import type { ClientError, ErrorKind, Vendor } from './vendor.js';

/** The codes of Google's RPC: https://cloud.google.com/apis/design/errors */
const STATUSES: Readonly<Record<ErrorKind, string>> = {
  rate: 'RESOURCE_EXHAUSTED',
  size: 'RESOURCE_EXHAUSTED',
  budget: 'RESOURCE_EXHAUSTED',
  blocked: 'PERMISSION_DENIED',
  unavailable: 'UNAVAILABLE',
  invalid: 'INVALID_ARGUMENT',
  unreachable: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
};

/** The errors that Gemini's clients read. Its answers state no limits in header fields. */
export const google: Vendor = {
  name: 'google',

  errorBody(error) {
    const { kind, status, message } = error;
    const details = detailsOf(error);
    return {
      error: { code: status, message, status: STATUSES[kind], ...(details.length > 0 && { details }) },
    };
  },

  limitFields: () => ({}),
};

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto */
function detailsOf({ kind, message, field, retryAfterMs }: ClientError): readonly JsonObject[] {
  if (kind === 'invalid' && field !== undefined)
    return [{ '@type': `${TYPES}BadRequest`, fieldViolations: [{ field, description: message }] }];
  if (retryAfterMs === undefined) return [];
  return [{ '@type': `${TYPES}RetryInfo`, retryDelay: `${retryAfterMs / 1000}s` }];
}

const TYPES = 'type.googleapis.com/google.rpc.';
