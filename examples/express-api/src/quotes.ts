import { createLimiter, rateLimit, type Store } from '@sluice/express';
import { type Request, type RequestHandler, Router } from 'express';
import { customerOf } from './customers.js';
import { PLANS } from './plans.js';
import { problem } from './problem.js';

const QUOTES = ['Less is more.', 'Slow is smooth, smooth is fast.', 'Make it work, make it right, make it fast.'];

const requireCustomer: RequestHandler = (req, res, next) =>
  customerOf(req) ? next() : problem(res, 401, 'Send a valid key in X-Api-Key.');

const planOf = (req: Request) => PLANS[customerOf(req)?.plan ?? 'free'];

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
    res.json({ quote: QUOTES[Math.floor(Math.random() * QUOTES.length)] });
  });
  router.get('/quota', async (req, res) => {
    const { verdicts } = await limiter.peek(req);
    res.json({
      plan: customerOf(req)?.plan,
      limits: verdicts.map(({ name, limit, remaining, resetAfterMs }) => ({
        name,
        limit: limit.quota,
        remaining,
        resetAfterMs,
      })),
    });
  });
  return router;
}
