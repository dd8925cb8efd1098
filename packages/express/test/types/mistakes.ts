/** Mistakes: none of them may compile. Nothing here runs. */
import { byHeader, byIp, firstOf, type Limit, rateLimit, slidingWindow } from '@sluice/express';
import express from 'express';

const app = express();
const minute = { limit: 5, window: '1m' } as const;

// Options that are none, are missing, or stand in the wrong place.
// @ts-expect-error
rateLimit();
// @ts-expect-error
rateLimit({});
// @ts-expect-error
rateLimit({ limit: 5 });
// @ts-expect-error
rateLimit({ limit: 5, windowMs: 60_000 });
// @ts-expect-error
rateLimit({ max: 5, window: '1m' });
// @ts-expect-error
rateLimit({ ...minute, colour: 'red' });
// @ts-expect-error
rateLimit({ ...minute, handler: () => {} });
// @ts-expect-error
rateLimit({ ...minute, limits: [slidingWindow(minute)] });
// @ts-expect-error
rateLimit({ limits: [{ ...minute, message: 'no' }] });
// @ts-expect-error
rateLimit({ limit: slidingWindow(minute), window: '1m' });

// Values of another type.
// @ts-expect-error
rateLimit({ limit: '5', window: '1m' });
// @ts-expect-error
rateLimit({ ...minute, window: true });
// @ts-expect-error
rateLimit({ ...minute, standardHeaders: 'draft-5' });
// @ts-expect-error
rateLimit({ ...minute, legacyHeaders: 'yes' });
// @ts-expect-error
rateLimit({ ...minute, statusCode: '429' });
// @ts-expect-error
rateLimit({ ...minute, message: 5 });
// @ts-expect-error
rateLimit({ ...minute, allowList: '10.0.0.0/8' });
// @ts-expect-error
rateLimit({ ...minute, skipFailedRequests: 'yes' });
// @ts-expect-error
rateLimit({ ...minute, onStoreError: 'open' });
// @ts-expect-error
rateLimit({ ...minute, onLimitReached: true });
// @ts-expect-error
rateLimit({ ...minute, store: new Map() });

// Callbacks that answer, or ask for, what is not there.
// @ts-expect-error
rateLimit({ ...minute, keyGenerator: () => ({ id: 7 }) });
// @ts-expect-error
rateLimit({ ...minute, keyGenerator: (req) => req.user.id });
// @ts-expect-error
rateLimit({ ...minute, keyGenerator: [byIp(), () => true] });
// @ts-expect-error
rateLimit({ ...minute, skip: () => 'yes' });
// @ts-expect-error
rateLimit({ ...minute, cost: () => '5' });
// @ts-expect-error
rateLimit({ ...minute, cost: async () => undefined });
// @ts-expect-error
rateLimit({ ...minute, message: () => 5 });
// @ts-expect-error
rateLimit({ ...minute, requestWasSuccessful: () => 200 });
// @ts-expect-error
rateLimit({ limit: (): Limit | undefined => undefined });
// @ts-expect-error
rateLimit({ limit: () => 5 });
// @ts-expect-error
rateLimit({ ...minute, onLimitReached: (_req, _res, decision) => decision.retryAfter });
// @ts-expect-error
firstOf('x-api-key', byIp());
// @ts-expect-error
byHeader();
// @ts-expect-error
byIp({ subnet: 64 });

// The handle, and the reservation that may not be there.
// @ts-expect-error
rateLimit(minute).reset();
// @ts-expect-error
rateLimit(minute).reset({ ip: '203.0.113.7' });
// @ts-expect-error
rateLimit(minute).peek();
// @ts-expect-error
rateLimit(minute).peek('ann', { price: 5 });
// @ts-expect-error
rateLimit(minute).consume('ann', { price: 5 });
// @ts-expect-error
rateLimit(minute).wait('ann');
app.get('/', (req) => {
  // @ts-expect-error
  req.rateLimit.settle(5);
  // @ts-expect-error
  req.rateLimit?.settle('5');
  // @ts-expect-error
  req.rateLimit?.remaining;
});
