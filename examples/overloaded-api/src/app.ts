import type { Shedder } from '@sluice/core/load';
import { sendError } from '@sluice/example-shared';
import { byHeader, MemoryStore, rateLimit, type Store, shedLoad } from '@sluice/express';
import express, { type Express } from 'express';
import { priorityOf } from './priority-of.js';
import { checkOut, productPage } from './shop.js';

export interface AppOptions {
  /** Admits requests; false if nothing is shed, to see what happens then. */
  readonly shedder: Shedder | false;
  /** Where requests of customers are counted. Default: in memory. */
  readonly store?: Store;
}

export function createApp({ shedder, store = new MemoryStore() }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');

  // First of all: what is refused here asks no limit and reads no body.
  if (shedder) app.use(shedLoad({ shedder, priority: priorityOf }));

  // Never shed: by default shedLoad knows these paths as health checks.
  app.get(['/livez', '/readyz'], (_req, res) => {
    res.json({ status: 'up' });
  });

  // Then the limits. Customers may have more while the process is calm.
  app.use(
    rateLimit({
      name: 'customers',
      keyGenerator: byHeader('x-customer'),
      limit: 20,
      window: '1s',
      ...(shedder && { elastic: { upTo: 40, while: shedder.calm } }),
      store,
    }),
  );

  app.post('/checkout', (_req, res) => {
    res.json(checkOut());
  });
  app.get('/products/:id', (req, res) => {
    // A smaller answer is better than none.
    res.json(productPage(req.params.id, req.load?.isShedding === true));
  });
  app.use(sendError);
  return app;
}
