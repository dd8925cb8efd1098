import { anyQuote, customerOf, planOf, quotaOf } from '@sluice/example-shared';
import { createLimiter, rateLimit, type Store } from '@sluice/express';
import { type Request, type RequestHandler, Router } from 'express';
import { sendProblem } from './problems.js';

const requireCustomer: RequestHandler = (req, res, next) =>
  customerOf(req) ? next() : sendProblem(res, 401, 'Send a valid key in X-Api-Key.');

/** `/v1`: each customer has the limits of its plan, whatever address it calls from. */
export function quotes(store: Store): Router {
  const policy = {
    name: 'quotes',
    keyGenerator: (req: Request) => customerOf(req)?.id,
    limits: [
      { name: 'burst', limit: (req: Request) => planOf(req).burst },
      { name: 'minute', limit: (req: Request) => planOf(req).minute },
      { name: 'day', limit: (req: Request) => planOf(req).day },
    ],
    store,
  };
  // Made of the same options, the limiter and the middleware count together.
  const limiter = createLimiter(policy);

  const router = Router();
  router.use(requireCustomer);
  router.get('/quotes', rateLimit(policy), (_req, res) => {
    res.json(anyQuote());
  });
  router.get('/quota', async (req, res) => {
    res.json(quotaOf(customerOf(req), await limiter.peek(req)));
  });
  return router;
}
