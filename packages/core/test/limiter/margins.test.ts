import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createLimiter,
  fixedWindow,
  type Limiter,
  type PolicyOptions,
  type Priority,
  SluiceError,
  slidingWindow,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { emittedWarnings, type Warning } from '@sluice/test-kit/emitted-warnings';
import { manualStore } from '@sluice/test-kit/manual-store';
import { FragileStore } from './fragile-store.js';

let warnings: Warning[] = [];

beforeEach(() => {
  warnings = emittedWarnings() as Warning[];
});

const stores: FragileStore[] = [];

afterEach(() => {
  for (const store of stores.splice(0)) store.failure = undefined;
});

interface Job {
  readonly id: string;
  readonly priority: Priority;
}

const HUNDRED = { limit: 100, window: '1m' } as const;

/** How many of so many requests are admitted. */
function admitted(limiter: Limiter<string, false>, requests: number): number {
  let count = 0;
  for (let i = 0; i < requests; i += 1) if (limiter.consume('ann').allowed) count += 1;
  return count;
}

describe('A tolerance', () => {
  it('admits exactly a tenth more, and says that nothing is left', () => {
    const limiter = createLimiter({ ...HUNDRED, tolerance: 0.1, store: manualStore().store });
    expect(admitted(limiter, 100)).toBe(100);
    const { allowed, tightest } = limiter.consume('ann');
    expect([allowed, tightest.remaining, tightest.overQuota, tightest.limit.quota]).toEqual([true, 0, 1, 100]);
    expect(admitted(limiter, 100)).toBe(9);
  });

  it.each([
    [19, 0.1, 20],
    [20, 0.1, 22],
    [3, 1 / 3, 4],
    [7, 0, 7],
    [7, 1, 14],
    [1, 0.9, 1],
  ])('of a limit of %d is rounded down: %d more admits %d', (limit, tolerance, most) => {
    const limiter = createLimiter({ limit, window: '1m', tolerance, store: manualStore().store });
    expect(admitted(limiter, 2 * most)).toBe(most);
  });

  it('is of the tier that was chosen, and of no unlimited one', () => {
    const plans = {
      free: fixedWindow({ limit: 10, window: '1m' }),
      paid: tokenBucket({ capacity: 20, refillRate: 0 }),
      staff: unlimited(),
    };
    const limiter = createLimiter<keyof typeof plans>({
      limit: (plan) => plans[plan],
      tolerance: 0.5,
      store: manualStore().store,
    });
    const most = (plan: keyof typeof plans): number => {
      let count = 0;
      while (count < 100 && limiter.consume(plan).allowed) count += 1;
      return count;
    };
    expect([most('free'), most('paid'), most('staff')]).toEqual([15, 30, 100]);
  });

  it('never tells anybody to come before the limit has room', () => {
    const { store, clock } = manualStore();
    const limiter = createLimiter({ limit: 10, window: '10s', tolerance: 0.5, store });
    for (let i = 0; i < 15; i += 1) {
      limiter.consume('ann');
      clock.advance('500ms');
    }
    const { allowed, retryAfterMs } = limiter.consume('ann');
    expect(allowed).toBe(false);
    clock.advance(retryAfterMs as number);
    expect(limiter.peek('ann').tightest).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('is of this instance its share of the limit, while the store is gone', () => {
    const store = new FragileStore('by throwing', 2);
    stores.push(store);
    const limiter = createLimiter({ limit: 38, window: '1m', tolerance: 0.1, store });
    store.failure = new Error('gone');
    let count = 0;
    while ((limiter.consume('ann') as { allowed: boolean }).allowed) count += 1;
    // A tenth of 19, rounded down.
    expect(count).toBe(20);
  });

  it('is inherited by the limits of a policy, but for those that have their own', () => {
    const { store } = manualStore();
    const limiter = createLimiter({
      tolerance: 0.5,
      limits: [slidingWindow({ limit: 10, window: '1m' }), { limit: 20, window: '1h', tolerance: 0 }],
      store,
    });
    expect(admitted(limiter, 100)).toBe(15);
    expect(limiter.consume('ann').verdicts.map(({ allowed }) => allowed)).toEqual([false, true]);
  });
});

describe('An elastic limit', () => {
  it('is passed while its signal is calm, and hard as soon as it is not', () => {
    const signal = { isCalm: true };
    const limiter = createLimiter({ ...HUNDRED, elastic: { upTo: 150, while: signal }, store: manualStore().store });
    expect(admitted(limiter, 120)).toBe(120);
    signal.isCalm = false;
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, tightest: { remaining: 0, limit: { quota: 100 } } });
    signal.isCalm = true;
    expect(admitted(limiter, 100)).toBe(30);
  });

  it('is never passed beyond upTo, however its signal changes', () => {
    const { store, clock } = manualStore();
    const signal = { isCalm: true };
    const limiter = createLimiter({ limit: 60, window: '6s', elastic: { upTo: 90, while: signal }, store });
    const times: number[] = [];
    // Three times the limit for a minute, while the signal changes every 100 ms.
    for (let ms = 0; ms < 60_000; ms += 33) {
      signal.isCalm = Math.floor(ms / 100) % 2 === 0;
      if (limiter.consume('ann').allowed) times.push(ms);
      clock.advance(33);
    }
    const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 6000).length));
    expect(most).toBeLessThanOrEqual(90);
    expect(most).toBeGreaterThan(60);
  });

  it('is hard when its signal throws, with one warning', () => {
    const signal = {
      get isCalm(): boolean {
        throw new Error('no signal');
      },
    };
    const limiter = createLimiter({
      limit: 2,
      window: '1m',
      elastic: { upTo: 4, while: signal },
      store: manualStore().store,
    });
    expect(admitted(limiter, 10)).toBe(2);
    expect(warnings.map(({ code }) => code)).toEqual(['SLUICE_HOOK_FAILED']);
  });
});

describe('Headroom', () => {
  const withHeadroom = (own: Partial<PolicyOptions<[job: Job]>> = {}) =>
    createLimiter({
      ...HUNDRED,
      keyGenerator: () => 'all',
      headroom: { normal: 0.1, low: 0.3 },
      priority: ({ priority }: Job) => priority,
      store: manualStore().store,
      ...own,
    } as never) as unknown as Limiter<Job>;
  const most = (limiter: Limiter<Job>, priority: Priority): number => {
    let count = 0;
    while ((limiter.consume({ id: 'a', priority }) as { allowed: boolean }).allowed) count += 1;
    return count;
  };

  it('keeps a part of the limit free from lower classes, and gives the best the whole', () => {
    const limiter = withHeadroom();
    expect([most(limiter, 'low'), most(limiter, 'normal'), most(limiter, 'critical')]).toEqual([70, 20, 10]);
  });

  it('tells each class what it may take', () => {
    const limiter = withHeadroom() as Limiter<Job, false>;
    const remaining = (priority: Priority) => limiter.peek({ id: 'a', priority }).tightest.remaining;
    expect([remaining('low'), remaining('normal'), remaining('critical')]).toEqual([70, 90, 100]);
  });

  it('says never to what can never fit beside the part that is kept', () => {
    const limiter = withHeadroom() as Limiter<Job, false>;
    const retry = (priority: Priority) => limiter.peek({ id: 'a', priority }, { cost: 80 }).retryAfterMs;
    expect([retry('low'), retry('normal')]).toEqual(['never', 0]);
  });

  it('takes a request for low whose priority fails or is none, and says so once', async () => {
    for (const priority of [
      () => {
        throw new Error('no priority');
      },
      () => 'urgent' as Priority,
      () => Promise.reject(new Error('later')),
    ]) {
      warnings.length = 0;
      const limiter = withHeadroom({ priority: priority as never });
      for (let i = 0; i < 2; i += 1) {
        expect((await limiter.peek({ id: 'a', priority: 'critical' })).tightest.remaining).toBe(70);
      }
      expect(warnings.map(({ code }) => code)).toEqual(['SLUICE_HOOK_FAILED']);
    }
  });

  it('keeps from low what it keeps from normal where nothing else is said, and needs no priority', () => {
    const keeps = { ...HUNDRED, headroom: { normal: 0.2 } } as const;
    expect(admitted(createLimiter({ ...keeps, store: manualStore().store }), 200)).toBe(80);
    const low = createLimiter({ ...keeps, priority: () => 'low' as const, store: manualStore().store });
    expect(admitted(low as Limiter<string, false>, 200)).toBe(80);
  });

  it('is stronger than a tolerance, which the best class keeps', () => {
    const limiter = withHeadroom({ tolerance: 0.1 });
    expect([most(limiter, 'low'), most(limiter, 'critical')]).toEqual([70, 40]);
  });
});

describe('Wrong margins', () => {
  const wrong: readonly [path: string, options: object][] = [
    ['tolerance', { tolerance: 1.1 }],
    ['tolerance', { tolerance: -0.1 }],
    ['tolerance', { tolerance: '10%' }],
    ['elastic', { tolerance: 0.1, elastic: { upTo: 110, while: { isCalm: true } } }],
    ['elastic.upTo', { elastic: { upTo: 99, while: { isCalm: true } } }],
    ['elastic.upTo', { elastic: { upTo: 201, while: { isCalm: true } } }],
    ['elastic.while', { elastic: { upTo: 150 } }],
    ['elastic.while', { elastic: { upTo: 150, while: () => true } }],
    ['elastic.until', { elastic: { upTo: 150, while: { isCalm: true }, until: 1 } }],
    ['elastic', { limit: () => 100, elastic: { upTo: 150, while: { isCalm: true } } }],
    ['headroom.low', { headroom: { normal: 0.3, low: 0.1 } }],
    ['headroom.normal', { headroom: { normal: 2 } }],
    ['headroom.critical', { headroom: { critical: 0.1 } }],
    ['priority', { priority: 'low' }],
  ];

  it.each(wrong)('in %s are refused when the limiter is made', (path, options) => {
    const make = () => createLimiter({ ...HUNDRED, ...options, store: manualStore().store } as never);
    expect(make).toThrow(SluiceError);
    expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });

  it('are refused by the path of their limit in a list', () => {
    const make = () =>
      createLimiter({ limits: [HUNDRED, { ...HUNDRED, name: 'b', tolerance: 3 }], store: manualStore().store });
    expect(make).toThrow(expect.objectContaining({ path: 'limits[1].tolerance' }));
  });

  it.each([
    ['a leased store', () => new LeasedStore({ store: new AsyncStore() })],
    ['a synced store', () => new SyncedStore({ store: new AsyncStore() })],
  ])('are refused by %s when the limiter is made, and when it is asked', async (_, wrap) => {
    const store = wrap();
    expect(() => createLimiter({ ...HUNDRED, tolerance: 0.1, store })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION' }),
    );
    const check = { policy: 'p', name: 'l', key: 'ann', limit: slidingWindow(HUNDRED), cost: 1, margin: 5 };
    await expect(store.consume({ checks: [check] })).rejects.toMatchObject({ code: 'SLUICE_OPTION' });
    await expect(store.consume({ checks: [check], peek: true })).rejects.toMatchObject({ code: 'SLUICE_OPTION' });
    await store.close();
  });
});
