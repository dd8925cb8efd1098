import { EVERYWHERE } from '@sluice/example-shared';
import { MemoryStore, rateLimit, type Store } from '@sluice/fastify';
import fastify, { type FastifyInstance } from 'fastify';
import { downloads } from './downloads.js';
import { login } from './login.js';
import { problems } from './problems.js';
import { quotes } from './quotes.js';
import { report } from './report.js';

export interface AppOptions {
  /** Where requests are counted; also its clock is the application's. Default: in memory. */
  store?: Store;
  /** Whose `X-Forwarded-For` is believed: addresses, subnets or names such as `'loopback'`. Default: nobody's. */
  trustProxy?: string | false;
}

/** The whole API over one store, so that a test can drive it with a clock of its own. */
export async function createApp({
  store = new MemoryStore(),
  trustProxy = false,
}: AppOptions = {}): Promise<FastifyInstance> {
  const app = fastify({ trustProxy, logger: { level: 'warn' } });

  // Before every route and every other plugin: each counts its requests here, and adds limits of its own by app.rateLimit.
  await app.register(rateLimit, { name: 'everywhere', limit: EVERYWHERE, store });
  await app.register(problems);

  app.get('/health', { config: { rateLimit: false } }, async () => ({ status: 'up' }));
  app.get('/', async () => ({ hello: 'world' }));
  await app.register(login, { prefix: '/login' });
  await app.register(quotes, { prefix: '/v1', store });
  await app.register(report, { prefix: '/report', clock: store.clock });
  await app.register(downloads, { prefix: '/export', clock: store.clock });
  return app;
}
