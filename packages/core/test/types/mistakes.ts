/** Mistakes: none of them may compile. Nothing here runs. */
import {
  createLimiter,
  type Decision,
  type Limit,
  MemoryStore,
  type Store,
  slidingWindow,
  subscribe,
  tokenBucket,
} from '@sluice/core';

declare const remote: Store<true>;
const window = slidingWindow({ limit: 5, window: '1m' });
const limiter = createLimiter({ limit: 5, window: '1m' });
const shared = createLimiter({ limit: 5, window: '1m', store: remote });

// Options that are none, or stand in the wrong place.
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', colour: 'red' });
// @ts-expect-error
createLimiter({ limit: 5, window: '1 min' });
// @ts-expect-error
createLimiter({ limit: 5, window: '1w' });
// @ts-expect-error
createLimiter({ limit: 5, window: '5 sec' });
// @ts-expect-error
createLimiter({ limit: 5, window: '60000' });
// @ts-expect-error
createLimiter({ limit: 5, window: String(process.env.WINDOW) });
// @ts-expect-error
createLimiter({ limit: 5, windowMs: 60_000 });
// @ts-expect-error
createLimiter({ max: 5, window: '1m' });
// @ts-expect-error
createLimiter({});
// @ts-expect-error
createLimiter();
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', limits: [window] });
// @ts-expect-error
createLimiter({ window: '1m', limits: [window] });
// @ts-expect-error
createLimiter({ limits: [5] });
// @ts-expect-error
createLimiter({ limits: window });
// @ts-expect-error
createLimiter({ limits: [{ limit: 5, window: '1m', skip: () => true }] });
// @ts-expect-error
createLimiter({ limits: [{ limit: 5, windowMs: 1000 }] });

// A number needs a window, a Limit has one.
// @ts-expect-error
createLimiter({ limit: 5 });
// @ts-expect-error
createLimiter({ limits: [{ limit: 5 }] });
// @ts-expect-error
createLimiter({ limit: () => 5 });
// @ts-expect-error
createLimiter({ limit: window, window: '1m' });
// @ts-expect-error
createLimiter({ limit: () => window, window: '1m' });

// Wrong values.
// @ts-expect-error
createLimiter({ limit: '5', window: '1m' });
// @ts-expect-error
createLimiter({ limit: 5, window: true });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', cost: '1' });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', enforce: true });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', enforce: async () => 0.5 });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', onStoreError: 'open' });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', skip: true });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', store: {} });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', keyGenerator: 'ip' });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', keyGenerator: () => ({ id: 1 }) });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', keyGenerator: () => true });
// @ts-expect-error
new MemoryStore({ maxKey: 5 });

// A tier that may be undefined.
const tiers = new Map<string, Limit>();
const numbers: Record<string, number | undefined> = {};
// @ts-expect-error
createLimiter({ limit: (plan: string) => tiers.get(plan) });
// @ts-expect-error
createLimiter({ limit: (plan: string) => numbers[plan], window: '1m' });
// @ts-expect-error
createLimiter({ limit: async (plan: string) => tiers.get(plan) });
// @ts-expect-error
createLimiter({ limits: [{ limit: (plan: string) => tiers.get(plan) }] });

// Answers that are not there yet, taken for values.
// @ts-expect-error
shared.consume('ann').allowed;
// @ts-expect-error
export const notYet: Decision = shared.peek('ann');
// @ts-expect-error
shared.reserve('ann').settle();
// @ts-expect-error
createLimiter({ limit: async () => 5, window: '1m' }).consume('ann').allowed;
// @ts-expect-error
createLimiter({ limit: async () => window }).consume('ann').allowed;
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', keyGenerator: async (id: string) => id }).consume('ann').allowed;
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', cost: async () => 1, store: new MemoryStore() }).consume('ann').allowed;
const skipping = createLimiter({ limit: 5, window: '1m', skip: async () => true });
// @ts-expect-error
skipping.reserve('ann').cancel();
// @ts-expect-error
createLimiter({ limits: [window, { limit: 5, window: '1h', keyGenerator: [async () => 'a'] }] }).peek('ann').allowed;
// @ts-expect-error
limiter.wait('ann').allowed;
// @ts-expect-error
limiter.consume('ann').then;

// Verbs.
// @ts-expect-error
limiter.consume();
// @ts-expect-error
limiter.consume(5);
// @ts-expect-error
limiter.consume('ann', 5);
// @ts-expect-error
limiter.consume('ann', { costs: 5 });
// @ts-expect-error
limiter.consume('ann', { maxWait: '1s' });
// @ts-expect-error
limiter.wait('ann', { timeout: 5 });
// @ts-expect-error
limiter.consume('ann').settle();
// @ts-expect-error
limiter.reserve('ann').settle('x');
// @ts-expect-error
limiter.reserve('ann').settle({ units: 'x' });
// @ts-expect-error
limiter.reset({ id: 1 });
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', keyGenerator: (user: { id: string }) => user.id }).consume('ann');

// Guarantees.
// @ts-expect-error
createLimiter({ limit: 5, window: '1m', guarantee: { limit: 1, keyGenerator: (id: string) => id } });
// @ts-expect-error
createLimiter({ limits: [window], guarantee: { limit: 1, keyGenerator: (id: string) => id, total: 2 } });

// Answers are read, never written.
const decision = limiter.peek('ann');
// @ts-expect-error
decision.allowed = true;
// @ts-expect-error
decision.verdicts.push(decision.tightest);
// @ts-expect-error
window.quota = 6;
// @ts-expect-error
export const seconds: number = decision.retryAfterMs;

// Limits.
// @ts-expect-error
slidingWindow({ limit: 5 });
// @ts-expect-error
slidingWindow({ limit: 5, window: '1m', capacity: 5 });
// @ts-expect-error
tokenBucket({ limit: 5, window: '1m' });

// Events.
// @ts-expect-error
subscribe('sluice:decided', () => {});
// @ts-expect-error
subscribe('sluice:decision', ({ error }) => error);
