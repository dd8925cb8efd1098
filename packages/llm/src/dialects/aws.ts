import type { ErrorKind, Vendor } from './vendor.js';

/** The errors of Bedrock: https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html */
const TYPES: Readonly<Record<ErrorKind, string>> = {
  rate: 'ThrottlingException',
  size: 'ThrottlingException',
  budget: 'ThrottlingException',
  blocked: 'AccessDeniedException',
  unavailable: 'ServiceUnavailableException',
  invalid: 'ValidationException',
  unreachable: 'ServiceUnavailableException',
  timeout: 'ModelTimeoutException',
};

/** The errors that Bedrock's clients read. Its answers state no limits in header fields. */
export const aws: Vendor = {
  name: 'aws',
  // AWS states the type in a header field, and its SDKs also read it from the body.
  errorBody: ({ kind, message }) => ({ __type: TYPES[kind], message }),
  limitFields: () => ({}),
};
