import { anyQuote, customerOf, planOf, quotaOf } from '@sluice/example-shared';
import { createLimiter, type Store } from '@sluice/fastify';
import type { FastifyPluginAsync, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { sendProblem } from './problems.js';

const requireCustomer: onRequestAsyncHookHandler = async (request, reply) => {
  if (!customerOf(request)) return sendProblem(reply, 401, 'Send a valid key in X-Api-Key.');
};

/** `/v1`: each customer has the limits of its plan, whatever address it calls from. */
export const quotes: FastifyPluginAsync<{ store: Store }> = async (app, { store }) => {
  const policy = {
    name: 'quotes',
    keyGenerator: (request: FastifyRequest) => customerOf(request)?.id,
    limits: [
      { name: 'burst', limit: (request: FastifyRequest) => planOf(request).burst },
      { name: 'minute', limit: (request: FastifyRequest) => planOf(request).minute },
      { name: 'day', limit: (request: FastifyRequest) => planOf(request).day },
    ],
    store,
  };
  // Made of the same options, the limiter and the hook count together.
  const limiter = createLimiter(policy);

  app.addHook('onRequest', requireCustomer);
  app.get('/quotes', { onRequest: app.rateLimit(policy) }, async () => anyQuote());
  app.get('/quota', async (request) => quotaOf(customerOf(request), await limiter.peek(request)));
};
