/** Mistakes: none of them may compile. Nothing here runs. */
import { byIp, clientAddress, firstOf, rateLimit, shedLoad } from '@sluice/hono';
import { Hono } from 'hono';

const app = new Hono();
const minute = { limit: 5, window: '1m' } as const;

// @ts-expect-error
rateLimit();
// @ts-expect-error
rateLimit({ limit: 5 });
// @ts-expect-error
rateLimit({ ...minute, colour: 'red' });
// @ts-expect-error
rateLimit({ ...minute, trustProxy: ['10.0.0.0/8'] });
// @ts-expect-error
rateLimit({ ...minute, keyGenerator: (c) => c.request.ip });
// @ts-expect-error
rateLimit({ ...minute, keyGenerator: [byIp(), () => true] });
// @ts-expect-error
rateLimit({ ...minute, skip: () => 'yes' });
// @ts-expect-error
rateLimit({ ...minute, onLimitReached: (_c, decision) => decision.retryAfter });
// @ts-expect-error
firstOf('x-api-key', byIp());
// @ts-expect-error
byIp({ subnet: 64 });
// @ts-expect-error
clientAddress();
// @ts-expect-error
clientAddress({ trustProxy: '10.0.0.0/8' });
// @ts-expect-error
clientAddress({ addressOf: () => 5 });
// @ts-expect-error
rateLimit(minute).peek('ann', { price: 5 });
app.get('/', (c) => {
  // @ts-expect-error
  c.get('rateLimit').settle(5);
  // @ts-expect-error
  c.get('rateLimit')?.settle('5');
  return c.text('hello');
});

// @ts-expect-error
shedLoad({ priority: 'high' });
// @ts-expect-error
shedLoad({ priority: async () => 'low' });
// @ts-expect-error
shedLoad({ loop: true });
// @ts-expect-error
shedLoad({ skip: (req) => req.url === '/' });
app.get('/busy', (c) => {
  // @ts-expect-error
  return c.json(c.get('load').isShedding);
});
