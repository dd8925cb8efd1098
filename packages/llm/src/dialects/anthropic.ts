import type { ErrorKind, Fields, Vendor } from './vendor.js';

const TYPES: Readonly<Record<ErrorKind, string>> = {
  rate: 'rate_limit_error',
  size: 'rate_limit_error',
  budget: 'rate_limit_error',
  blocked: 'permission_error',
  unavailable: 'overloaded_error',
  invalid: 'invalid_request_error',
  unreachable: 'api_error',
  timeout: 'api_error',
};

const FIELD_NAMES = {
  requests: 'requests',
  tokens: 'tokens',
  input: 'input-tokens',
  output: 'output-tokens',
} as const;

/** The errors and header fields that Anthropic's clients read. */
export const anthropic: Vendor = {
  name: 'anthropic',

  errorBody: ({ kind, message }) => ({ type: 'error', error: { type: TYPES[kind], message } }),

  // The reset is a time of RFC 3339.
  limitFields(limits, nowMs) {
    const fields: Fields = {};
    for (const counts of ['requests', 'tokens', 'input', 'output'] as const) {
      const { [counts]: state } = limits;
      if (!state) continue;
      const name = `anthropic-ratelimit-${FIELD_NAMES[counts]}`;
      fields[`${name}-limit`] = state.limit;
      fields[`${name}-remaining`] = state.remaining;
      if (state.resetAfterMs === 'never') continue;
      fields[`${name}-reset`] = new Date(nowMs + state.resetAfterMs).toISOString().replace(/\.\d+Z$/, 'Z');
    }
    return fields;
  },
};
