import { EXAMPLE_TOKEN, EXAMPLE_REVISION as REVISION } from './exchange.js';
import type { Exchanges } from './operation.js';

/** Exchanges of `POST /v1/decisions`, in the order in which a test sends them. */
export const DECISIONS: Exchanges = {
  consume: {
    summary: 'A request that is allowed',
    request: {
      policy: 'api',
      request: {
        method: 'GET',
        path: '/v1/search?q=tea',
        address: '203.0.113.7',
      },
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
          limit: {
            algorithm: 'sliding-window',
            quota: 100,
            windowMs: 60000,
            buckets: 20,
          },
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
      request: {
        method: 'GET',
        path: '/v1/search?q=tea',
        address: '203.0.113.7',
      },
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
          limit: {
            algorithm: 'sliding-window',
            quota: 100,
            windowMs: 60000,
            buckets: 20,
          },
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
      request: {
        method: 'GET',
        path: '/v1/search?q=tea',
        address: '203.0.113.7',
      },
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
          limit: {
            algorithm: 'sliding-window',
            quota: 100,
            windowMs: 60000,
            buckets: 20,
          },
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
      reservation: {
        token: EXAMPLE_TOKEN,
        expiresInMs: 300000,
      },
    },
  },
  list: {
    summary: 'Requests that are allowed, refused, and of no policy',
    request: [
      {
        policy: 'login',
        request: {
          method: 'POST',
          path: '/login',
          address: '203.0.113.7',
        },
        cost: 5,
      },
      {
        policy: 'login',
        request: {
          method: 'POST',
          path: '/login',
          address: '203.0.113.7',
        },
      },
      {
        policy: 'logon',
        request: {
          method: 'POST',
          path: '/login',
          address: '203.0.113.7',
        },
      },
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
            limit: {
              algorithm: 'sliding-window',
              quota: 5,
              windowMs: 900000,
              buckets: 20,
            },
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
            limit: {
              algorithm: 'sliding-window',
              quota: 5,
              windowMs: 900000,
              buckets: 20,
            },
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
        error: {
          type: 'about:blank',
          title: 'Not Found',
          status: 404,
          detail: '/2/policy is no policy of the file',
          errors: [
            {
              pointer: '/2/policy',
              detail: 'is no policy of the file',
            },
          ],
        },
      },
    ],
  },
  mistakes: {
    summary: 'A request with mistakes',
    request: {
      policy: 'api',
      kind: 'spend',
      request: {
        address: 'localhost',
      },
      cost: -1,
    },
    status: 400,
    response: {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: "/kind must be 'consume', 'peek' or 'reserve', got \"spend\"",
      errors: [
        {
          pointer: '/kind',
          detail: "must be 'consume', 'peek' or 'reserve', got \"spend\"",
        },
        {
          pointer: '/request/address',
          detail: 'must be an IP address, got "localhost"',
        },
        {
          pointer: '/cost',
          detail: 'must be a whole number of at least 0, got -1',
        },
      ],
    },
  },
  unknownPolicy: {
    summary: 'A policy that the file does not have',
    request: {
      policy: 'logon',
      request: {
        method: 'POST',
        path: '/login',
        address: '203.0.113.7',
      },
    },
    status: 404,
    response: {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: '/policy is no policy of the file',
      errors: [
        {
          pointer: '/policy',
          detail: 'is no policy of the file',
        },
      ],
    },
  },
};
