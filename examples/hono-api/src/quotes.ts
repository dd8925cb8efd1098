import { anyQuote, type Customer, customerOf, planOf, quotaOf } from '@sluice/example-shared';
import { rateLimit, type Store } from '@sluice/hono';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { sendProblem } from './problems.js';

/** The part of a request that says who asks. */
const asking = (c: Context) => ({ headers: c.req.header() });

const customerIn = (c: Context): Customer | undefined => customerOf(asking(c));

const requireCustomer: MiddlewareHandler = async (c, next) => {
  if (!customerIn(c)) return sendProblem(c, 401, 'Send a valid key in X-Api-Key.');
  return next();
};

/** `/v1`: each customer has the limits of its plan, whatever address it calls from. */
export function quotes(store: Store): Hono {
  const limit = rateLimit({
    name: 'quotes',
    keyGenerator: (c) => customerIn(c)?.id,
    limits: [
      { name: 'burst', limit: (c) => planOf(asking(c)).burst },
      { name: 'minute', limit: (c) => planOf(asking(c)).minute },
      { name: 'day', limit: (c) => planOf(asking(c)).day },
    ],
    store,
  });

  return new Hono()
    .use(requireCustomer)
    .get('/quotes', limit, (c) => c.json(anyQuote()))
    .get('/quota', async (c) => c.json(quotaOf(customerIn(c), await limit.peek(c))));
}
