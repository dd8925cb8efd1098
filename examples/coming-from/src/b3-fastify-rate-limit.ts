import { rateLimit, type Store, slidingWindow } from '@sluice/fastify';
import fastify, { type FastifyInstance } from 'fastify';

/** Their `ban: 2`: the third refusal within the window is answered 403, and here it stays so for an hour. */
const SEARCHES = 5;
const SEARCH_WINDOW = '1m';
const BAN_AFTER = 2;

/** The application that had `@fastify/rate-limit`. */
export async function createApp(store: Store): Promise<FastifyInstance> {
  const app = fastify({ trustProxy: 'loopback' }); // not a number: current Fastify then trusts nobody
  await app.register(rateLimit, {
    limit: 100, // max
    window: '1m', // timeWindow: '1 minute'
    allowList: ['10.0.0.0/8', '192.0.2.1'], // ranges, too
    store, // redis
  });

  app.get('/', async () => 'hello');

  // A route of its own: { config: { rateLimit: { max: 3, timeWindow: '1 minute' } } }
  app.get('/report', { config: { rateLimit: { limit: 3, window: '1m' } } }, async () => 'report');

  // allowList as a function
  app.get('/partners', { config: { rateLimit: { limit: 1, window: '1m', skip: isPartner } } }, async () => 'partners');

  // { config: { rateLimit: false } }
  app.get('/health', { config: { rateLimit: false } }, async () => 'fine');

  // { config: { rateLimit: { max: 5, timeWindow: '1 minute', ban: 2 } } }
  app.get(
    '/search',
    {
      config: {
        rateLimit: {
          limits: [
            { name: 'searches', limit: SEARCHES, window: SEARCH_WINDOW },
            {
              // Counts what any limit here refuses, and so is reached by refusals alone.
              limit: slidingWindow({
                name: 'ban',
                limit: SEARCHES + BAN_AFTER,
                window: SEARCH_WINDOW,
                countRejected: true,
                blockDuration: '1h',
              }),
            },
          ],
          onLimitReached: (_request, reply, { tightest }) => {
            if (tightest.name === 'ban') reply.code(403).send({ error: 'banned' });
          },
        },
      },
    },
    async () => 'found',
  );
  return app;
}

function isPartner({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): boolean {
  return headers['x-partner'] === 'verified by the gateway';
}
