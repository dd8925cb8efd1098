/** Mistakes: none of them may compile. Nothing here runs. */
import { byIp, firstOf, rateLimit, shedLoad } from '@sluice/koa';

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
rateLimit({ ...minute, keyGenerator: [byIp(), () => true] });
// @ts-expect-error
rateLimit({ ...minute, skip: () => 'yes' });
// @ts-expect-error
rateLimit({ ...minute, onLimitReached: (_ctx, decision) => decision.retryAfter });
// @ts-expect-error
firstOf('x-api-key', byIp());
// @ts-expect-error
byIp({ subnet: 64 });
// @ts-expect-error
rateLimit(minute).peek('ann', { price: 5 });
// @ts-expect-error
shedLoad({ priority: 'high' });
// @ts-expect-error
shedLoad({ priority: async () => 'low' });
// @ts-expect-error
shedLoad({ loop: true });
