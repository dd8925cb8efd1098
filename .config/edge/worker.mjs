// A Worker with limits that are made while it loads, as its author would write it.
import { concurrency, MemoryStore, rateLimit, respond, shedLoad } from '@sluice/fetch';
import * as onHono from '@sluice/hono';
import { Hono } from 'hono';

const addressOf = (request) => request.headers.get('cf-connecting-ip');

const shed = shedLoad({ loop: false, inFlight: { initial: 10, max: 100 } });
const limit = rateLimit({ limit: 2, window: '1m' });
const slots = rateLimit({ name: 'slots', limits: [concurrency({ limit: 1, lease: '10s' })], store: new MemoryStore() });

const app = new Hono();
app.use(onHono.clientAddress({ addressOf: (c) => addressOf(c.req.raw) }));
app.use(onHono.rateLimit({ name: 'hono', limit: 2, window: '1m' }));
app.get('*', (c) => c.text('hello'));

/** Answers by the guards of fetch. */
async function byFetch(request, ...guards) {
  for (const guard of guards) {
    const refused = await guard(request, { address: addressOf(request) });
    if (refused) return refused;
  }
  return respond(request, () => new Response('hello'));
}

export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/hono') return app.fetch(request);
    if (pathname === '/slots') return byFetch(request, slots);
    return byFetch(request, shed, limit);
  },
};
