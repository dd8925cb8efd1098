import { anyQuote, type Customer, customerOf, planOf, quotaOf } from '@sluice/example-shared';
import { rateLimit, respond, type Store } from '@sluice/fetch';
import { sendJson, sendProblem } from './answers.js';
import type { Route } from './route.js';

/** The part of a request that says who asks. */
const asking = ({ headers }: Request) => ({ headers: Object.fromEntries(headers) });

const customerIn = (request: Request): Customer | undefined => customerOf(asking(request));

/** Lets only customers through. */
const forCustomers =
  (route: Route): Route =>
  (request, address) =>
    customerIn(request) ? route(request, address) : sendProblem(401, 'Send a valid key in X-Api-Key.');

/** `/v1`: each customer has the limits of its plan, whatever address it calls from. */
export function quotes(store: Store): Readonly<Record<string, Route>> {
  const limit = rateLimit({
    name: 'quotes',
    keyGenerator: (request) => customerIn(request)?.id,
    limits: [
      { name: 'burst', limit: (request) => planOf(asking(request)).burst },
      { name: 'minute', limit: (request) => planOf(asking(request)).minute },
      { name: 'day', limit: (request) => planOf(asking(request)).day },
    ],
    store,
  });

  return {
    'GET /v1/quotes': forCustomers(
      async (request) => (await limit(request)) ?? respond(request, () => sendJson(anyQuote())),
    ),
    'GET /v1/quota': forCustomers(async (request) =>
      sendJson(quotaOf(customerIn(request), await limit.peek(request, {}))),
    ),
  };
}
