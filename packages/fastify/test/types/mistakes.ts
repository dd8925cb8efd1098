/** Mistakes: none of them may compile. Nothing here runs. */
import { byIp, type Limit, rateLimit, slidingWindow } from '@sluice/fastify';
import fastify from 'fastify';

const app = fastify();
const minute = { limit: 5, window: '1m' } as const;
const handler = async (): Promise<string> => 'ok';

// Options that are none, are missing, or stand in the wrong place.
// @ts-expect-error
app.register(rateLimit, {});
// @ts-expect-error
app.register(rateLimit, { limit: 5 });
// @ts-expect-error
app.register(rateLimit, { global: true });
// @ts-expect-error
app.register(rateLimit, { max: 5, timeWindow: 60_000 });
// @ts-expect-error
app.register(rateLimit, { ...minute, windowMs: 60_000 });
// @ts-expect-error
app.register(rateLimit, { ...minute, limits: [slidingWindow(minute)] });
// @ts-expect-error
app.register(rateLimit, { limit: slidingWindow(minute), window: '1m' });

// Values of another type.
// @ts-expect-error
app.register(rateLimit, { ...minute, hook: 'onSend' });
// @ts-expect-error
app.register(rateLimit, { ...minute, global: 'no' });
// @ts-expect-error
app.register(rateLimit, { ...minute, standardHeaders: 'draft-5' });
// @ts-expect-error
app.register(rateLimit, { ...minute, store: new Map() });
// @ts-expect-error
app.register(rateLimit, { ...minute, allowList: '10.0.0.0/8' });

// Callbacks that answer, or ask for, what is not there.
// @ts-expect-error
app.register(rateLimit, { ...minute, keyGenerator: (request: { user: { id: string } }) => request.user.id });
// @ts-expect-error
app.register(rateLimit, { ...minute, keyGenerator: [byIp(), () => true] });
// @ts-expect-error
app.register(rateLimit, { ...minute, skip: () => 'yes' });
// @ts-expect-error
app.register(rateLimit, { limit: (): Limit | undefined => undefined });

// Routes and hooks. Of a route's config, Fastify lets pass what is not known; the plugin refuses it when the route is added.
// @ts-expect-error
app.get('/', { config: { rateLimit: { hook: 'onSend' } } }, handler);
// @ts-expect-error
app.rateLimit();
// @ts-expect-error
app.rateLimit({ hook: 'preHandler' });
// @ts-expect-error
app.rateLimit({ global: false });

// The handles, and the reservation that may not be there.
// @ts-expect-error
app.rateLimit(minute).reset();
// @ts-expect-error
app.rateLimit.policy();
// @ts-expect-error
app.rateLimit.reset('ann');
app.get('/', async (request) => {
  // @ts-expect-error
  request.rateLimit.settle(5);
  // @ts-expect-error
  request.rateLimit?.settle('5');
});
