import { EVERYWHERE } from '@sluice/example-shared';
import { clientAddress, MemoryStore, rateLimit, type Store } from '@sluice/hono';
import { Hono } from 'hono';
import { downloads } from './downloads.js';
import { login } from './login.js';
import { notFound, sendError, withCharset } from './problems.js';
import { quotes } from './quotes.js';
import { report } from './report.js';

export interface AppOptions {
  /** Where requests are counted; also its clock is the application's. Default: in memory. */
  store?: Store;
  /** Whose `X-Forwarded-For` is believed: addresses and ranges with commas between them, or `'loopback'`. Default: nobody's. */
  trustProxy?: string | false;
}

/** The whole API over one store, so that a test can drive it with a clock of its own. */
export function createApp({ store = new MemoryStore(), trustProxy = false }: AppOptions = {}): Hono {
  const app = new Hono();
  app.use(clientAddress({ trustProxy: proxiesOf(trustProxy) }), withCharset);
  app.notFound(notFound);
  app.onError(sendError);

  // Before the limit, which counts all that comes after it.
  app.get('/health', (c) => c.json({ status: 'up' }));

  app.use(rateLimit({ name: 'everywhere', limit: EVERYWHERE, store }));
  app.get('/', (c) => c.json({ hello: 'world' }));
  app.route('/login', login(store));
  app.route('/v1', quotes(store));
  app.route('/report', report(store));
  app.route('/export', downloads(store));
  return app;
}

function proxiesOf(trustProxy: string | false): string[] {
  if (!trustProxy) return [];
  return trustProxy === 'loopback' ? ['127.0.0.0/8', '::1'] : trustProxy.split(/\s*,\s*/);
}
