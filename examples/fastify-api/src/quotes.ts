import { anyQuote, customerOf, planOf, quotaOf } from '@sluice/example-shared';
import type { Store } from '@sluice/fastify';
import type { FastifyPluginAsync, onRequestAsyncHookHandler } from 'fastify';
import { sendProblem } from './problems.js';

const requireCustomer: onRequestAsyncHookHandler = async (request, reply) => {
  if (!customerOf(request)) return sendProblem(reply, 401, 'Send a valid key in X-Api-Key.');
};

/** `/v1`: each customer has the limits of its plan, whatever address it calls from. */
export const quotes: FastifyPluginAsync<{ store: Store }> = async (app, { store }) => {
  const limit = app.rateLimit({
    name: 'quotes',
    keyGenerator: (request) => customerOf(request)?.id,
    limits: [
      { name: 'burst', limit: (request) => planOf(request).burst },
      { name: 'minute', limit: (request) => planOf(request).minute },
      { name: 'day', limit: (request) => planOf(request).day },
    ],
    store,
  });

  app.addHook('onRequest', requireCustomer);
  app.get('/quotes', { onRequest: limit }, async () => anyQuote());
  app.get('/quota', async (request, reply) => quotaOf(customerOf(request), await limit.peek(request, reply)));
};
