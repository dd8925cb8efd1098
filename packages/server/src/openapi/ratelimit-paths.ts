import {
  BODY_PROBLEMS,
  CALLERS,
  type Exchanges,
  jsonResponse,
  type Part,
  problemResponse,
  requestBody,
} from './operation.js';

const entries = [{ key: 'remote_address', value: '203.0.113.8' }];

/** Exchanges of `POST /json`. */
const EXCHANGES: Exchanges = {
  allowed: {
    summary: 'A request that is allowed',
    request: { domain: 'api', descriptors: [{ entries }] },
    status: 200,
    response: {
      overallCode: 'OK',
      statuses: [
        {
          code: 'OK',
          currentLimit: { requestsPerUnit: 100, unit: 'MINUTE', name: 'minute' },
          limitRemaining: 99,
          durationUntilReset: '62.999s',
        },
      ],
      responseHeadersToAdd: [
        { key: 'RateLimit-Policy', value: '"minute";q=100;w=60' },
        { key: 'RateLimit', value: '"minute";r=99;t=63' },
        { key: 'X-RateLimit-Limit', value: '100' },
        { key: 'X-RateLimit-Remaining', value: '99' },
        { key: 'X-RateLimit-Reset', value: '63' },
      ],
    },
  },
  unknownDomain: {
    summary: 'A domain that is no policy',
    request: { domain: 'logon', descriptors: [{ entries }] },
    status: 404,
    response: {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: '/descriptors/0 asks for the policy "logon", which the policy file does not have',
      errors: [
        { pointer: '/descriptors/0', detail: 'asks for the policy "logon", which the policy file does not have' },
      ],
    },
  },
};

/** The path for those who come from envoyproxy/ratelimit. */
export const RATELIMIT_PATHS: Part = {
  '/json': {
    post: {
      operationId: 'shouldRateLimit',
      summary: 'Decides as envoyproxy/ratelimit is asked: a domain, which is the name of a policy, and descriptors',
      ...CALLERS,
      requestBody: requestBody('JsonRateLimitRequest', EXCHANGES),
      responses: {
        ...jsonResponse(200, 'The request is allowed.', 'JsonRateLimitResponse', EXCHANGES),
        ...jsonResponse(429, 'The request is refused.', 'JsonRateLimitResponse', EXCHANGES),
        ...problemResponse(400, 'The body has mistakes. All of them are listed, and nothing was spent.', EXCHANGES),
        ...problemResponse(404, 'The file does not have this policy.', EXCHANGES),
        ...BODY_PROBLEMS,
      },
    },
  },
};
