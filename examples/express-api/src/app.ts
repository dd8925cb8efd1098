import { EVERYWHERE, sendError } from '@sluice/example-shared';
import { MemoryStore, rateLimit, type Store } from '@sluice/express';
import express, { type Express } from 'express';
import { downloads } from './downloads.js';
import { login } from './login.js';
import { notFound } from './problems.js';
import { quotes } from './quotes.js';
import { report } from './report.js';

export interface AppOptions {
  /** Where requests are counted; also its clock is the application's. Default: in memory. */
  store?: Store;
  /** Whose `X-Forwarded-For` is believed: addresses, subnets or names such as `'loopback'`. Default: nobody's. */
  trustProxy?: string | false;
}

/** The whole API over one store, so that a test can drive it with a clock of its own. */
export function createApp({ store = new MemoryStore(), trustProxy = false }: AppOptions = {}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy);

  app.use(rateLimit({ name: 'everywhere', limit: EVERYWHERE, skip: (req) => req.path === '/health', store }));

  app.get('/health', (_req, res) => {
    res.json({ status: 'up' });
  });
  app.get('/', (_req, res) => {
    res.json({ hello: 'world' });
  });
  app.use('/login', login(store));
  app.use('/v1', quotes(store));
  app.use('/report', report(store));
  app.use('/export', downloads(store));

  app.use(notFound);
  app.use(sendError);
  return app;
}
