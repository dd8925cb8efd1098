import '@sluice/core/calendars';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Change,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  subscribe,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { manualStore } from '@sluice/test-kit/manual-store';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';

const limits: readonly [what: string, limit: Limit][] = [
  ['a sliding window', slidingWindow({ limit: 10, window: '1m' })],
  ['a sliding window log', slidingWindowLog({ limit: 10, window: '1m' })],
  ['a sliding window counter', slidingWindowCounter({ limit: 10, window: '1m' })],
  ['a fixed window', fixedWindow({ limit: 10, window: '1m' })],
  ['a calendar window', fixedWindow({ limit: 10, window: { unit: 'day', timeZone: 'Europe/Rome' } })],
  ['a token bucket', tokenBucket({ capacity: 10, refillRate: 0.1 })],
];

it('Over a network, refund and charge have an id, so that a repeated delivery counts once', async () => {
  const store = new RemoteMemory(new ManualClock(), 5000);
  const changes: Change[] = [];
  const adjust = store.adjust.bind(store);
  store.adjust = async (change) => {
    changes.push(change);
    await adjust(change);
    return adjust(change);
  };
  const limiter = createLimiter<string, true>({ limit: slidingWindow({ limit: 10, window: '1m' }), store });
  await limiter.consume('ann', { cost: 6 });
  await limiter.refund('ann', { cost: 2 });
  expect((await limiter.peek('ann')).tightest.remaining).toBe(6);
  await limiter.charge('ann', { cost: 2 });
  expect((await limiter.peek('ann')).tightest.remaining).toBe(4);
  expect(new Set(changes.map(({ id }) => id)).size).toBe(2);
});

describe.each(limits)('Over %s', (_, limit) => {
  let world: ReturnType<typeof manualStore>;
  const limiterHere = () => createLimiter({ limit, store: world.store });

  beforeEach(() => {
    world = manualStore();
  });

  it('refund gives units back, as many as were spent and no more', () => {
    const limiter = limiterHere();
    limiter.consume('ann', { cost: 6 });
    limiter.refund('ann', { cost: 2 });
    expect(limiter.peek('ann').tightest.remaining).toBe(6);
    limiter.refund('ann', { cost: 100 });
    expect(limiter.peek('ann').tightest.remaining).toBe(10);
  });

  it('charge spends units afterwards, above the limit as debt', () => {
    const limiter = limiterHere();
    limiter.charge('ann', { cost: 4 });
    expect(limiter.peek('ann').tightest.remaining).toBe(6);
    limiter.charge('ann', { cost: 10 });
    expect(limiter.consume('ann', { cost: 0 })).toMatchObject({ allowed: false, tightest: { remaining: 0 } });
    limiter.refund('ann', { cost: 4 });
    expect(limiter.consume('ann', { cost: 0 }).allowed).toBe(true);
    limiter.refund('ann', { cost: 1 });
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('debt is at most one quota', () => {
    const limiter = limiterHere();
    limiter.charge('ann', { cost: 1_000_000 });
    limiter.refund('ann', { cost: 11 });
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('touches no other key', () => {
    const limiter = limiterHere();
    limiter.consume('bob', { cost: 5 });
    limiter.refund('ann', { cost: 5 });
    limiter.charge('ann', { cost: 5 });
    expect(limiter.peek('bob').tightest.remaining).toBe(5);
  });
});

describe('refund and charge', () => {
  it("use the policy's cost if none is given", () => {
    const limiter = createLimiter({ limit: 10, window: '1m', cost: 3 });
    limiter.charge('ann');
    expect(limiter.peek('ann').tightest.remaining).toBe(7);
    limiter.refund('ann');
    expect(limiter.peek('ann').tightest.remaining).toBe(10);
  });

  it('return the state of the limits after that, and whether another request of cost 1 would fit', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ name: 'api', limit: 10, window: '1m', store });
    expect(limiter.charge('ann', { cost: 4 })).toEqual({
      policy: 'api',
      allowed: true,
      verdicts: [expect.objectContaining({ name: 'api', cost: 1, allowed: true, remaining: 6, used: 4 })],
      tightest: expect.objectContaining({ name: 'api', resetAfterMs: 60_000 }),
      retryAfterMs: 0,
      delayMs: 0,
      shadowed: false,
      source: 'store',
    });
    clock.advance('10s');
    const exhausted = limiter.charge('ann', { cost: 8 });
    expect(exhausted).toMatchObject({ allowed: false, retryAfterMs: 50_000, tightest: { remaining: 0, used: 12 } });
    expect(exhausted).toEqual(limiter.peek('ann'));
    expect(limiter.refund('ann', { cost: 3 })).toEqual(limiter.peek('ann'));
    expect(limiter.refund('ann', { cost: 100 })).toMatchObject({ allowed: true, tightest: { remaining: 10, used: 0 } });
  });

  it('return a verdict for every limit of the policy, changed or not', () => {
    const limiter = createLimiter({
      limits: [
        concurrency({ limit: 1, lease: '30s' }),
        slidingWindow({ limit: 9, window: '1h' }),
        { limit: 2, window: '1m', name: 'tried', enforce: 0 },
        { limit: unlimited(), name: 'unlimited' },
        { limit: 5, window: '1m', name: 'free', cost: 0 },
      ],
      store: manualStore().store,
    });
    limiter.reserve('ann');
    const charged = limiter.charge('ann', { cost: 3 });
    expect(charged).toMatchObject({
      allowed: false,
      tightest: { name: 'concurrency' },
      shadowed: true,
      verdicts: [
        { name: 'concurrency', cost: 1, allowed: false, used: 1 },
        { name: 'per-1h', cost: 1, used: 4 },
        { name: 'tried', cost: 1, allowed: false, used: 4, shadow: true },
        { name: 'unlimited', cost: 1, used: 0, remaining: Number.MAX_SAFE_INTEGER },
        { name: 'free', cost: 1, used: 0 },
      ],
    });
    expect(charged.verdicts).toHaveLength(5);
  });

  it('ask the store once, and publish no decision', async () => {
    const store = new RemoteMemory(new ManualClock(), 5000);
    const limiter = createLimiter<string, true>({ limit: slidingWindow({ limit: 10, window: '1m' }), store });
    await limiter.consume('ann');
    const told: unknown[] = [];
    const stop = subscribe('sluice:decision', (message) => told.push(message));
    const before = store.calls;
    expect(await limiter.charge('ann', { cost: 2 })).toMatchObject({ allowed: true, tightest: { used: 3 } });
    expect(await limiter.refund('ann')).toMatchObject({ allowed: true, tightest: { used: 2 } });
    stop();
    expect([store.calls - before, told]).toEqual([2, []]);
  });

  it('use the time of the store for a calendar, even if the clock of the process is days behind', async () => {
    const store = new RemoteMemory(new ManualClock(), 5000);
    const daily = fixedWindow({ limit: 10, window: { unit: 'day', timeZone: 'UTC' } });
    const behind = new ManualClock(store.clock.now() - 5 * 86_400_000);
    const limiter = createLimiter<string, true>({ limit: daily, store: Object.assign(store, { clock: behind }) });
    expect(await limiter.charge('ann', { cost: 4 })).toMatchObject({ source: 'store', tightest: { used: 4 } });
    expect(await limiter.refund('ann', { cost: 1 })).toMatchObject({ source: 'store', tightest: { used: 3 } });
  });

  it('take the newest units first', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: 10, window: '1m', store });
    limiter.consume('ann', { cost: 5 });
    clock.advance('30s');
    limiter.consume('ann', { cost: 5 });
    limiter.refund('ann', { cost: 5 });
    clock.advance('30s');
    expect(limiter.peek('ann').tightest.remaining).toBe(10);
  });

  it('correct each limit by itself', () => {
    const limiter = createLimiter({
      limits: [slidingWindow({ limit: 3, window: '1m' }), slidingWindow({ limit: 9, window: '1h' })],
    });
    limiter.charge('ann', { cost: 5 });
    expect(limiter.peek('ann').verdicts).toMatchObject([
      { allowed: false, remaining: 0 },
      { allowed: true, remaining: 4 },
    ]);
  });

  it('do not change slots, and give nothing back to a leaky bucket', () => {
    const limiter = createLimiter({
      limits: [concurrency({ limit: 3, lease: '30s' }), leakyBucket({ capacity: 5, leakRate: 1 })],
      store: manualStore().store,
    });
    limiter.reserve('ann');
    limiter.refund('ann');
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 2 }, { remaining: 4 }]);
    limiter.charge('ann', { cost: 2 });
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 2 }, { remaining: 2 }]);
  });

  it('do nothing for a skipped request, a cost of 0 or an unlimited tier', () => {
    const limiter = createLimiter({
      limit: 10,
      window: '1m',
      skip: (subject: string) => subject === 'skipped',
      keyGenerator: () => 'all',
    });
    expect(limiter.charge('skipped')).toEqual(limiter.peek('skipped'));
    expect(limiter.charge('ann', { cost: 0 })).toEqual(limiter.peek('ann'));
    expect(limiter.refund('ann', { cost: 0 })).toEqual(limiter.peek('ann'));
    expect(limiter.peek('ann').tightest.remaining).toBe(10);
  });
});
