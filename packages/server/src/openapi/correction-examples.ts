import type { Exchanges } from './operation.js';

/** Exchanges of corrections. */
export const CORRECTIONS: { readonly settle: Exchanges; readonly cancel: Exchanges } = {
  settle: {
    mistakes: {
      summary: 'A wrong cost',
      request: {
        actual: 1.5,
      },
      status: 400,
      response: {
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: '/actual must be a whole number of at least 0, got 1.5',
        errors: [
          {
            pointer: '/actual',
            detail: 'must be a whole number of at least 0, got 1.5',
          },
        ],
      },
    },
    realCost: {
      summary: 'The real cost',
      request: {
        actual: 12,
      },
      status: 200,
      response: {
        policy: 'api',
        result: 'applied',
      },
    },
  },
  cancel: {
    all: {
      summary: 'Nothing but the token',
      request: {},
      status: 200,
      response: {
        policy: 'api',
        result: 'applied',
      },
    },
  },
};
