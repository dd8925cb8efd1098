import { EXAMPLE_ADDRESS, EXAMPLE_TOKEN, EXAMPLE_REVISION as REVISION } from './exchange.js';
import type { Exchanges } from './operation.js';

/** Requests of the examples. */
const SEARCH = { method: 'GET', path: '/v1/search?q=tea', address: EXAMPLE_ADDRESS };
const LOGIN = { method: 'POST', path: '/login', address: EXAMPLE_ADDRESS };

/** Their limits, as verdicts have them. */
const MINUTE = { algorithm: 'sliding-window', quota: 100, windowMs: 60000, buckets: 20 };
const ATTEMPTS = { algorithm: 'sliding-window', quota: 5, windowMs: 900000, buckets: 20 };

/** Exchanges of `POST /v1/decisions`, in the order in which a test sends them. */
export const DECISIONS: Exchanges = {
  consume: {
    summary: 'A request that is allowed',
    request: { policy: 'api', request: SEARCH },
    status: 200,
    response: {
      allowed: true,
      policy: 'api',
      revision: REVISION,
      retryAfterMs: 0,
      source: 'store',
      verdicts: [
        {
          name: 'minute',
          limit: MINUTE,
          cost: 1,
          allowed: true,
          remaining: 99,
          used: 1,
          resetAfterMs: 62999,
          retryAfterMs: 0,
          delayMs: 0,
        },
      ],
      headers: {
        'RateLimit-Policy': '"minute";q=100;w=60',
        RateLimit: '"minute";r=99;t=63',
        'X-RateLimit-Limit': '100',
        'X-RateLimit-Remaining': '99',
        'X-RateLimit-Reset': '63',
      },
    },
  },
  peek: {
    summary: 'What a request would get',
    request: {
      policy: 'api',
      kind: 'peek',
      request: SEARCH,
      cost: 500,
    },
    status: 200,
    response: {
      allowed: false,
      policy: 'api',
      revision: REVISION,
      retryAfterMs: 'never',
      source: 'store',
      verdicts: [
        {
          name: 'minute',
          limit: MINUTE,
          cost: 500,
          allowed: false,
          remaining: 99,
          used: 1,
          resetAfterMs: 62999,
          retryAfterMs: 'never',
          delayMs: 0,
        },
      ],
      headers: {
        'RateLimit-Policy': '"minute";q=100;w=60',
        RateLimit: '"minute";r=0',
        'X-RateLimit-Limit': '100',
        'X-RateLimit-Remaining': '0',
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
      },
      problem: {
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'Quota Exceeded',
        status: 429,
        detail: 'This request can never fit in what is left; waiting does not help.',
        'violated-policies': ['minute'],
      },
    },
  },
  reserve: {
    summary: 'A request whose cost is known later',
    request: {
      policy: 'api',
      kind: 'reserve',
      request: SEARCH,
      cost: 20,
      id: 'order-17',
      expires: '5m',
    },
    status: 200,
    response: {
      allowed: true,
      policy: 'api',
      revision: REVISION,
      retryAfterMs: 0,
      source: 'store',
      verdicts: [
        {
          name: 'minute',
          limit: MINUTE,
          cost: 20,
          allowed: true,
          remaining: 79,
          used: 21,
          resetAfterMs: 62999,
          retryAfterMs: 0,
          delayMs: 0,
        },
      ],
      headers: {
        'RateLimit-Policy': '"minute";q=100;w=60',
        RateLimit: '"minute";r=79;t=63',
        'X-RateLimit-Limit': '100',
        'X-RateLimit-Remaining': '79',
        'X-RateLimit-Reset': '63',
      },
      reservation: { token: EXAMPLE_TOKEN, expiresInMs: 300000 },
    },
  },
  list: {
    summary: 'Requests that are allowed, refused, and of no policy',
    request: [
      { policy: 'login', request: LOGIN, cost: 5 },
      { policy: 'login', request: LOGIN },
      { policy: 'logon', request: LOGIN },
    ],
    status: 200,
    response: [
      {
        allowed: true,
        policy: 'login',
        revision: REVISION,
        retryAfterMs: 0,
        source: 'store',
        verdicts: [
          {
            name: 'attempts',
            limit: ATTEMPTS,
            cost: 5,
            allowed: true,
            remaining: 0,
            used: 5,
            resetAfterMs: 900000,
            retryAfterMs: 900000,
            delayMs: 0,
          },
        ],
        headers: {
          'RateLimit-Policy': '"attempts";q=5;w=900',
          RateLimit: '"attempts";r=0;t=900',
          'X-RateLimit-Limit': '5',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': '900',
        },
      },
      {
        allowed: false,
        policy: 'login',
        revision: REVISION,
        retryAfterMs: 900000,
        source: 'store',
        verdicts: [
          {
            name: 'attempts',
            limit: ATTEMPTS,
            cost: 1,
            allowed: false,
            remaining: 0,
            used: 5,
            resetAfterMs: 900000,
            retryAfterMs: 900000,
            delayMs: 0,
          },
        ],
        headers: {
          'RateLimit-Policy': '"attempts";q=5;w=900',
          RateLimit: '"attempts";r=0;t=900',
          'X-RateLimit-Limit': '5',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': '900',
          'Retry-After': '900',
          'Content-Type': 'application/problem+json',
          'Cache-Control': 'no-store',
        },
        problem: {
          type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
          title: 'Quota Exceeded',
          status: 429,
          detail: 'Try again in 900 seconds.',
          'violated-policies': ['attempts'],
        },
      },
      {
        policy: 'logon',
        error: unknownPolicy('/2/policy'),
      },
    ],
  },
  mistakes: {
    summary: 'A request with mistakes',
    request: {
      policy: 'api',
      kind: 'spend',
      request: { address: 'localhost' },
      cost: -1,
    },
    status: 400,
    response: {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: "/kind must be 'consume', 'peek' or 'reserve', got \"spend\"",
      errors: [
        { pointer: '/kind', detail: "must be 'consume', 'peek' or 'reserve', got \"spend\"" },
        { pointer: '/request/address', detail: 'must be an IP address, got "localhost"' },
        { pointer: '/cost', detail: 'must be a whole number of at least 0, got -1' },
      ],
    },
  },
  unknownPolicy: {
    summary: 'A policy that the file does not have',
    request: { policy: 'logon', request: LOGIN },
    status: 404,
    response: unknownPolicy('/policy'),
  },
};

/** @param pointer - the place of the policy's name in the body */
function unknownPolicy(pointer: string): object {
  const detail = 'is no policy of the file';
  const errors = [{ pointer, detail }];
  return { type: 'about:blank', title: 'Not Found', status: 404, detail: `${pointer} ${detail}`, errors };
}
