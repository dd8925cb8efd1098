import { describe, expect, it } from '@jest/globals';
import { createLimiter, type Limit, type Limiter, MemoryStore, slidingWindow, unlimited } from '@sluice/core';

/** The values of a verdict if nothing was counted. */
const passed = {
  allowed: true,
  retryAfterMs: 0,
  delayMs: 0,
  shadowed: false,
  source: 'store',
  tightest: {
    limit: { algorithm: 'unlimited', quota: Number.MAX_SAFE_INTEGER },
    allowed: true,
    remaining: Number.MAX_SAFE_INTEGER,
    resetAfterMs: 0,
    retryAfterMs: 0,
    delayMs: 0,
  },
};

describe.each<[what: string, make: (store: MemoryStore) => Limiter<string, false>]>([
  ['An unlimited policy', (store) => createLimiter({ limit: unlimited(), store })],
  ['An unlimited tier', (store) => createLimiter({ limit: () => unlimited(), store })],
  ['A skipped request', (store) => createLimiter({ limit: 0, window: '1m', skip: () => true, store })],
])('%s', (_, make) => {
  it('is allowed by every method, and the store is not asked', async () => {
    const store = new MemoryStore();
    const limiter = make(store);
    store.close();
    for (const decision of [
      limiter.consume('ann'),
      limiter.peek('ann'),
      limiter.reserve('ann'),
      await limiter.wait('ann'),
    ]) {
      expect(decision).toMatchObject(passed);
    }
    const reservation = limiter.reserve('ann', { cost: 1_000_000 });
    expect([reservation.settle(5), reservation.cancel()]).toEqual([undefined, undefined]);
    for (const decision of [limiter.refund('ann'), limiter.charge('ann')]) expect(decision).toMatchObject(passed);
  });
});

describe('An unlimited tier', () => {
  it('keeps its position among counted limits', () => {
    const limiter = createLimiter({
      limits: [unlimited(), slidingWindow({ limit: 2, window: '1m' }), { limit: () => unlimited() }],
    });
    expect(limiter.consume('ann')).toMatchObject({
      allowed: true,
      tightest: { name: 'per-1m', remaining: 1 },
      verdicts: [{ name: 'unlimited', remaining: Number.MAX_SAFE_INTEGER }, { name: 'per-1m' }, { name: 'tier' }],
    });
    limiter.reserve('ann').settle(0);
    expect(limiter.peek('ann').verdicts[1]).toMatchObject({ remaining: 1 });
  });

  it('keeps the units that the limited tier spent', () => {
    let limit: Limit = slidingWindow({ limit: 2, window: '1m' });
    const limiter = createLimiter({ limit: () => limit });
    limiter.consume('ann');
    limit = unlimited();
    limiter.consume('ann', { cost: 50 });
    limit = slidingWindow({ limit: 2, window: '1m' });
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
  });

  it('accepts a settled amount by its name, and ignores it', () => {
    const reservation = createLimiter({ limits: [unlimited(), slidingWindow({ limit: 2, window: '1m' })] }).reserve(
      'ann',
    );
    expect(() => reservation.settle({ unlimited: 5 })).not.toThrow();
  });
});

describe('skip', () => {
  it('decides by the subject, and spends nothing if it returns true', () => {
    const limiter = createLimiter({
      limit: 1,
      window: '1m',
      keyGenerator: () => 'all',
      skip: (path: string) => path === '/health',
    });
    for (let i = 0; i < 5; i += 1) expect(limiter.consume('/health').allowed).toBe(true);
    expect([limiter.consume('/').allowed, limiter.consume('/').allowed]).toEqual([true, false]);
    expect(limiter.consume('/health').allowed).toBe(true);
  });

  it('may return a promise', async () => {
    const limiter = createLimiter({ limit: 0, window: '1m', skip: async (path: string) => path === '/health' });
    expect((await limiter.consume('/health')).allowed).toBe(true);
    expect((await limiter.consume('/')).allowed).toBe(false);
  });

  it('comes before the key: a skipped request needs none', () => {
    const limiter = createLimiter({ limit: 1, window: '1m', keyGenerator: () => undefined, skip: () => true });
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('names the limits of the policy in its verdicts', () => {
    const limiter = createLimiter({
      name: 'api',
      limits: [slidingWindow({ limit: 1, window: '1m' }), slidingWindow({ limit: 9, window: '1h' })],
      skip: () => true,
    });
    const { policy, verdicts } = limiter.consume('ann');
    expect([policy, ...verdicts.map(({ name }) => name)]).toEqual(['api', 'per-1m', 'per-1h']);
  });
});
