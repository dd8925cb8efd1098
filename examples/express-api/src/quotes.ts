import { anyQuote, customerOf, planOf, quotaOf } from '@sluice/example-shared';
import { rateLimit, type Store } from '@sluice/express';
import { type RequestHandler, Router } from 'express';
import { sendProblem } from './problems.js';

const requireCustomer: RequestHandler = (req, res, next) =>
  customerOf(req) ? next() : sendProblem(res, 401, 'Send a valid key in X-Api-Key.');

/** `/v1`: each customer has the limits of its plan, whatever address it calls from. */
export function quotes(store: Store): Router {
  const limit = rateLimit({
    name: 'quotes',
    keyGenerator: (req) => customerOf(req)?.id,
    limits: [
      { name: 'burst', limit: (req) => planOf(req).burst },
      { name: 'minute', limit: (req) => planOf(req).minute },
      { name: 'day', limit: (req) => planOf(req).day },
    ],
    store,
  });

  const router = Router();
  router.use(requireCustomer);
  router.get('/quotes', limit, (_req, res) => {
    res.json(anyQuote());
  });
  router.get('/quota', async (req, res) => {
    res.json(quotaOf(customerOf(req), await limit.peek(req, res)));
  });
  return router;
}
