import '@sluice/core/calendars';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  boundOf,
  concurrency,
  createLimiter,
  everyone,
  fixedWindow,
  type Limit,
  type Limiter,
  leakyBucket,
  type PolicyOptions,
  SluiceError,
  slidingWindow,
  slidingWindowCounter,
  subscribe,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { emittedWarnings, type Warning } from '@sluice/test-kit/emitted-warnings';
import { manualStore } from '@sluice/test-kit/manual-store';
import { FragileStore } from './fragile-store.js';

interface Job {
  readonly tenant?: string;
  readonly tokens?: number;
}

type Options = PolicyOptions<[Job], false>;

/** Ten requests a minute, of which three are ann's and two are bob's. */
const PARTS: Readonly<Record<string, number>> = { ann: 3, bob: 2 };
const TEN = {
  limit: 10,
  window: '1m',
  keyGenerator: everyone(),
  guarantee: {
    limit: ({ tenant = '' }: Job) => PARTS[tenant] ?? 0,
    keyGenerator: ({ tenant }: Job) => tenant,
    total: 5,
  },
} as const;

let warnings: Warning[] = [];

beforeEach(() => {
  warnings = emittedWarnings() as Warning[];
});

function limiterOf(own: Partial<Options> = {}) {
  const { store, clock } = manualStore();
  return { limiter: createLimiter<Job>({ ...TEN, store, ...own } as Options), clock, store };
}

/** How many of so many requests of a tenant are admitted. */
function admitted(limiter: Limiter<Job, false>, tenant: string | undefined, requests = 20): number {
  let count = 0;
  for (let i = 0; i < requests; i += 1) if (limiter.consume(tenant === undefined ? {} : { tenant }).allowed) count += 1;
  return count;
}

describe('A guarantee', () => {
  it('leaves each tenant its part, and the rest to whoever comes first', () => {
    const { limiter } = limiterOf();
    expect(admitted(limiter, 'eve')).toBe(5);
    expect([admitted(limiter, 'ann'), admitted(limiter, 'bob')]).toEqual([3, 2]);
  });

  it('lends what is not used, at the price of its bound', () => {
    const { limiter } = limiterOf({ lend: 1 });
    expect(admitted(limiter, 'eve')).toBe(10);
    expect([admitted(limiter, 'ann'), admitted(limiter, 'bob')]).toEqual([3, 2]);
    expect(boundOf(slidingWindow({ limit: 10, window: '1m' }), '1m', { guaranteed: 5, lend: 1 })).toBe(15);
  });

  it('guarantees nothing to a request without a tenant', () => {
    const { limiter } = limiterOf();
    expect(admitted(limiter, undefined)).toBe(5);
    expect(limiter.consume({}).verdicts[0]?.guaranteed).toBe(false);
  });

  it('gives one verdict: what the tenant can get now, and whether this request was guaranteed', () => {
    const { limiter } = limiterOf();
    const first = limiter.consume({ tenant: 'ann' });
    expect(first.verdicts).toHaveLength(1);
    expect(first.tightest).toMatchObject({ name: 'per-1m', remaining: 5, used: 1, guaranteed: true, retryAfterMs: 0 });
    admitted(limiter, 'eve');
    expect(limiter.peek({ tenant: 'ann' }).tightest).toMatchObject({ allowed: true, remaining: 2, used: 6 });
    expect(limiter.peek({ tenant: 'eve' }).tightest).toMatchObject({ allowed: false, remaining: 0, guaranteed: false });
  });

  it('lets a borrower return when it has room, also as its own part', () => {
    const { limiter, clock } = limiterOf();
    admitted(limiter, 'ann', 3);
    clock.advance(10_000);
    admitted(limiter, 'eve');
    const refused = limiter.consume({ tenant: 'ann' });
    expect(refused).toMatchObject({ allowed: false, retryAfterMs: 50_000 });
    clock.advance(49_999);
    expect(limiter.consume({ tenant: 'ann' }).allowed).toBe(false);
    clock.advance(1);
    expect(limiter.consume({ tenant: 'ann' }).tightest).toMatchObject({ allowed: true, guaranteed: true });
  });

  it('counts each of several tenants of a compound key', () => {
    const guarantee = { limit: 1, keyGenerator: [({ tenant }: Job) => tenant, () => 'app'], total: 2 };
    const { limiter } = limiterOf({ guarantee });
    admitted(limiter, 'eve');
    expect([admitted(limiter, 'ann'), admitted(limiter, undefined)]).toEqual([1, 0]);
  });

  it('takes its own cost, and never more than its part at once', () => {
    const { limiter } = limiterOf({ cost: ({ tokens = 1 }: Job) => tokens });
    expect(limiter.consume({ tenant: 'ann', tokens: 3 }).tightest.guaranteed).toBe(true);
    expect(limiter.consume({ tenant: 'bob', tokens: 3 }).tightest).toMatchObject({ allowed: true, guaranteed: false });
    expect(limiter.consume({ tenant: 'bob', tokens: 3 }).allowed).toBe(false);
    expect(limiter.consume({ tenant: 'bob', tokens: 2 }).tightest).toMatchObject({ allowed: true, guaranteed: true });
  });

  it('stands beside other limits: a refusal of theirs spends no part', () => {
    const { window, ...ten } = TEN;
    const tight = { limit: fixedWindow({ limit: 1, window: '1m' }), name: 'tight', keyGenerator: everyone() };
    const { store } = manualStore();
    const limiter = createLimiter<Job>({ limits: [{ ...ten, window }, tight], store } as Options);
    expect(limiter.consume({ tenant: 'ann' }).verdicts.map(({ name }) => name)).toEqual(['per-1m', 'tight']);
    expect(limiter.consume({ tenant: 'ann' }).allowed).toBe(false);
    expect(limiter.peek({ tenant: 'ann' }).verdicts[0]).toMatchObject({ used: 1, guaranteed: true });
  });

  it.each([
    ['in shadow', 0, false],
    ['as a mark', 'mark' as const, true],
  ])('is only tried %s', (_, enforce, exceeded) => {
    const { limiter } = limiterOf({ enforce });
    expect(admitted(limiter, 'eve')).toBe(20);
    const decision = limiter.consume({ tenant: 'eve' });
    expect([decision.allowed, decision.shadowed, decision.exceeded ?? false]).toEqual([true, true, exceeded]);
    expect(limiter.consume({ tenant: 'ann' }).tightest.guaranteed).toBe(true);
  });

  it('delays only what is borrowed', () => {
    const { limiter } = limiterOf({ lend: 1, slowDown: { after: 0, by: '1s', upTo: '1m' } });
    expect(limiter.consume({ tenant: 'eve' }).delayMs).toBe(1000);
    expect(limiter.consume({ tenant: 'ann' }).delayMs).toBe(0);
  });

  it('guarantees slots', () => {
    const { store } = manualStore();
    const limiter = createLimiter<Job>({
      ...TEN,
      limit: concurrency({ limit: 10, lease: '10s' }),
      window: undefined,
      lend: 1,
      store,
    } as unknown as Options);
    const eves = Array.from({ length: 12 }, () => limiter.reserve({ tenant: 'eve' }));
    expect(eves.filter(({ allowed }) => allowed)).toHaveLength(10);
    const own = Array.from({ length: 4 }, () => limiter.reserve({ tenant: 'ann' }));
    expect(own.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
    own[0]?.settle();
    expect(limiter.reserve({ tenant: 'ann' }).tightest).toMatchObject({ allowed: true, guaranteed: true });
    for (const reservation of [...eves, ...own]) reservation.cancel();
  });

  it('renews guaranteed slots with their parts, as long as they are held', async () => {
    const { store, clock } = manualStore();
    const slots = concurrency({ limit: 2, lease: '9s' });
    const guarantee = { ...TEN.guarantee, limit: 1, total: 2 };
    const limiter = createLimiter<Job>({
      ...TEN,
      limit: slots,
      window: undefined,
      guarantee,
      store,
    } as unknown as Options);
    const ann = limiter.reserve({ tenant: 'ann' });
    for (let i = 0; i < 10; i += 1) await clock.advance(3000);
    expect(limiter.reserve({ tenant: 'ann' }).allowed).toBe(false);
    const bob = limiter.reserve({ tenant: 'bob' });
    expect(bob.tightest).toMatchObject({ used: 2, guaranteed: true });
    ann.settle();
    bob.cancel();
    expect(limiter.peek({ tenant: 'ann' }).tightest.used).toBe(0);
  });

  it('does not help a tenant that is blocked by hand, whatever it could borrow', () => {
    const { limiter, clock } = limiterOf({ lend: 1 });
    limiter.block('ann', '1h');
    const { allowed, tightest } = limiter.consume({ tenant: 'ann' });
    expect([allowed, tightest.remaining, tightest.retryAfterMs, tightest.blocked]).toEqual([false, 0, 3_600_000, true]);
    expect(limiter.blocked().entries).toHaveLength(1);
    expect(admitted(limiter, 'bob', 3)).toBe(3);
    expect(limiter.unblock('ann')).toBe(true);
    expect(limiter.consume({ tenant: 'ann' }).allowed).toBe(true);
    limiter.block(['everyone'], 'forever');
    for (const tenant of ['ann', 'bob', 'eve']) {
      const refused = limiter.consume({ tenant });
      expect([refused.allowed, refused.retryAfterMs, refused.tightest.blocked]).toEqual([false, 'never', true]);
    }
    clock.advance(3_600_000);
    expect(limiter.unblock(['everyone'])).toBe(true);
    expect(limiter.consume({ tenant: 'ann' }).tightest).toMatchObject({ allowed: true, guaranteed: true });
  });

  it('follows the calendar, and survives its boundaries', () => {
    const { store, clock } = manualStore();
    const days = fixedWindow({ limit: 10, window: { unit: 'day', timeZone: 'Europe/Rome' } });
    const limiter = createLimiter<Job>({ ...TEN, limit: days, window: undefined, store } as unknown as Options);
    for (let day = 0; day < 3; day += 1) {
      expect([admitted(limiter, 'eve'), admitted(limiter, 'ann'), admitted(limiter, 'bob')]).toEqual([5, 3, 2]);
      clock.advance(86_400_000);
    }
  });

  it('keeps its parts when a tenant gets another one', () => {
    let part = 1;
    const { limiter } = limiterOf({ guarantee: { ...TEN.guarantee, limit: () => part } });
    admitted(limiter, 'eve');
    expect(admitted(limiter, 'ann')).toBe(1);
    part = 3;
    expect(admitted(limiter, 'ann')).toBe(2);
    part = 2;
    expect(limiter.peek({ tenant: 'ann' }).tightest.remaining).toBe(0);
  });

  it('works with functions that return promises', async () => {
    const limiter = createLimiter<Job, true>({
      ...TEN,
      guarantee: { limit: async () => 1, keyGenerator: [async ({ tenant }: Job) => tenant, () => 1], total: 5 },
      store: new AsyncStore(),
    } as never);
    expect((await limiter.consume({ tenant: 'ann' })).tightest.guaranteed).toBe(true);
    expect((await limiter.consume({ tenant: 'ann' })).tightest.guaranteed).toBe(false);
  });

  it('names one key of each limit in events', () => {
    const { limiter } = limiterOf();
    const keys: number[] = [];
    const stop = subscribe('sluice:decision', (message) => keys.push(message.keys.length));
    limiter.consume({ tenant: 'ann' });
    stop();
    expect(keys).toEqual([1]);
  });

  it('warns once if a request fits its part, and not the total', () => {
    const guarantee = { ...TEN.guarantee, limit: 3 };
    const { limiter } = limiterOf({ guarantee });
    expect([admitted(limiter, 'ann', 3), admitted(limiter, 'bob', 1)]).toEqual([3, 1]);
    expect(warnings).toEqual([]);
    expect(admitted(limiter, 'bob', 3)).toBe(3);
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'SLUICE_TOTAL_EXCEEDED', message: expect.stringContaining('"per-1m"') }),
    ]);
  });
});

describe('A charge of a guarantee', () => {
  const usedBy = (limiter: Limiter<Job, false>): readonly number[] => {
    const free = (tenant: string): number => limiter.peek({ tenant }).tightest.remaining;
    return [free('ann'), free('bob'), limiter.peek({ tenant: 'eve' }).tightest.used];
  };

  /** Nothing of the rest is left, so that only parts can be got. */
  const full = (own: Partial<Options> = {}) => {
    const { limiter } = limiterOf(own);
    admitted(limiter, 'eve', 5);
    return limiter;
  };

  it('comes back to where it was spent: to the part', () => {
    const limiter = full();
    const reservation = limiter.reserve({ tenant: 'ann' });
    expect(usedBy(limiter)).toEqual([2, 2, 6]);
    reservation.cancel();
    expect(usedBy(limiter)).toEqual([3, 2, 5]);
  });

  it('comes back to where it was spent: to the rest', () => {
    const { limiter } = limiterOf();
    admitted(limiter, 'ann', 3);
    const borrowed = limiter.reserve({ tenant: 'ann' });
    expect(borrowed.tightest.guaranteed).toBe(false);
    borrowed.cancel();
    expect(limiter.peek({ tenant: 'ann' }).tightest).toMatchObject({ used: 3, remaining: 5, guaranteed: false });
  });

  it('becomes what was really used', () => {
    const limiter = full();
    const reservation = limiter.reserve({ tenant: 'ann' }, { cost: 3 });
    reservation.settle(1);
    expect(usedBy(limiter)).toEqual([2, 2, 6]);
  });

  it('counts a higher cost against its own tenant and the limit, and takes nothing of what is guaranteed to others', () => {
    const limiter = full();
    limiter.reserve({ tenant: 'ann' }).settle(9);
    expect(usedBy(limiter)).toEqual([0, 2, 14]);
    expect([admitted(limiter, 'ann'), admitted(limiter, 'bob')]).toEqual([0, 2]);
    expect(warnings).toEqual([]);
  });

  it('is settled by the name of the limit', () => {
    const limiter = full();
    limiter.reserve({ tenant: 'ann' }, { cost: 3 }).settle({ 'per-1m': 2 });
    expect(usedBy(limiter)).toEqual([1, 2, 7]);
    expect(() => limiter.reserve({ tenant: 'ann' }).settle({ 'per-1m:part': 2 })).toThrow('its limits are per-1m');
  });

  it('stays as it is with a cost of its own', () => {
    const { store } = manualStore();
    const item = { ...TEN, cost: 1 };
    const limiter = createLimiter<Job>({
      limits: [item, { limit: 100, window: '1h', keyGenerator: everyone() }],
      store,
    } as Options);
    limiter.reserve({ tenant: 'ann' }).settle(5);
    expect(limiter.peek({ tenant: 'eve' }).verdicts.map(({ used }) => used)).toEqual([1, 5]);
  });

  it('stays off the total when a reservation that was given back is settled after all', async () => {
    const { limiter, clock } = limiterOf();
    admitted(limiter, 'eve', 5);
    const reservation = limiter.reserve({ tenant: 'ann' }, { expires: '1s', onExpiry: 'giveBack' });
    await clock.advance(1000);
    expect(usedBy(limiter)).toEqual([3, 2, 5]);
    reservation.settle(9);
    expect(usedBy(limiter)).toEqual([0, 2, 14]);
  });

  it('may come without a request, and go back', () => {
    const limiter = full();
    expect(limiter.charge({ tenant: 'ann' }, { cost: 2 }).verdicts).toHaveLength(1);
    expect(usedBy(limiter)).toEqual([1, 2, 7]);
    const after = limiter.refund({ tenant: 'ann' }, { cost: 2 });
    expect(after.tightest).toMatchObject({ allowed: true, used: 5, guaranteed: true });
    expect(usedBy(limiter)).toEqual([3, 2, 5]);
  });

  it('is forgotten for a tenant, or for all', () => {
    const limiter = full();
    admitted(limiter, 'ann', 3);
    expect([limiter.reset('ann'), limiter.reset('ann')]).toEqual([true, false]);
    expect(usedBy(limiter)).toEqual([2, 2, 8]);
    expect(limiter.reset(['everyone'])).toBe(true);
    expect(usedBy(limiter)).toEqual([5, 5, 0]);
  });
});

describe('A guarantee without its store', () => {
  const stores: FragileStore[] = [];

  afterEach(() => {
    for (const store of stores.splice(0)) store.failure = undefined;
  });

  it('is divided among the instances, as the limit is', async () => {
    const store = new FragileStore('by rejecting', 5);
    stores.push(store);
    const limiter = createLimiter<Job, true>({ ...TEN, lend: 1, store } as unknown as PolicyOptions<[Job], true>);
    store.failure = new Error('down');
    const count = async (tenant: string): Promise<number> => {
      let allowed = 0;
      for (let i = 0; i < 5; i += 1) if ((await limiter.consume({ tenant })).allowed) allowed += 1;
      return allowed;
    };
    expect([await count('eve'), await count('ann'), await count('bob')]).toEqual([2, 1, 0]);
    expect(boundOf(slidingWindow({ limit: 10, window: '1m' }), '1m', { guaranteed: 5, lend: 1, instances: 5 })).toBe(
      30,
    );
  });
});

describe('A guarantee that cannot be', () => {
  const ten = slidingWindow({ limit: 10, window: '1m' });
  const wrong: readonly (readonly [what: string, own: Partial<Options>, path: string])[] = [
    ['more in total than the limit', { guarantee: { ...TEN.guarantee, total: 11 } }, 'guarantee.total'],
    ['no total', { guarantee: { ...TEN.guarantee, total: undefined as never } }, 'guarantee.total'],
    ['more for one than in total', { guarantee: { ...TEN.guarantee, limit: 6 } }, 'guarantee.limit'],
    ['half a unit', { guarantee: { ...TEN.guarantee, limit: 0.5 } }, 'guarantee.limit'],
    ['no tenant', { guarantee: { ...TEN.guarantee, keyGenerator: 'tenant' as never } }, 'guarantee.keyGenerator'],
    ['an unknown option', { guarantee: { ...TEN.guarantee, window: '1m' } as never }, 'guarantee.window'],
    ['a list', { guarantee: [] as never }, 'guarantee'],
    ['more lent than there is', { lend: 1.5 }, 'lend'],
    ['a loan of nothing', { guarantee: undefined, lend: 1 } as never, 'lend'],
    ['a limit for each address', { keyGenerator: undefined } as never, 'keyGenerator'],
    ['a tolerance', { tolerance: 0.1 }, 'guarantee'],
    ['headroom', { headroom: { low: 0.1 } }, 'guarantee'],
    ['a limit by a function', { limit: () => 10 } as never, 'guarantee'],
    ['no limit', { limit: unlimited(), window: undefined } as never, 'guarantee'],
    ...(
      [
        ['windows that begin with the first request', fixedWindow({ limit: 10, window: '1m' })],
        ['a counter', slidingWindowCounter({ limit: 10, window: '1m' })],
        ['a queue', leakyBucket({ capacity: 10, leakRate: 1 })],
        ['a bucket by interval', tokenBucket({ capacity: 10, refillRate: 1, refillInterval: '1s' })],
        ['a bucket that never refills', tokenBucket({ capacity: 10, refillRate: 0 })],
        ['counted refusals', slidingWindow({ limit: 10, window: '1m', countRejected: true })],
        ['blocks', slidingWindow({ limit: 10, window: '1m', blockDuration: '1m' })],
      ] as const
    ).map(([what, limit]) => [what, { limit, window: undefined } as never, 'guarantee'] as const),
  ];

  it.each(wrong)('is refused: %s', (_what, own, path) => {
    expect(() => limiterOf(own)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });

  it('is refused beside a limit with the name of its parts', () => {
    const { limit, window, ...rest } = TEN;
    const limits = [
      { ...rest, limit, window, name: 'x' },
      { limit, window, name: 'x:part' },
    ];
    expect(() => createLimiter<Job>({ limits } as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME', path: 'limits[1].name' }),
    );
  });

  it('is decided about a request, not about a key', () => {
    const { limiter } = limiterOf();
    expect(() => limiter.inspect('ann')).toThrow(expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }));
  });

  it('keeps free exactly what a fraction says', () => {
    const { limiter } = limiterOf({ lend: 0.7, guarantee: { ...TEN.guarantee, total: 10 } });
    expect(admitted(limiter, 'eve')).toBe(7);
  });

  it('is refused beside a list of limits', () => {
    const { limit, window, ...rest } = TEN;
    expect(() => createLimiter<Job>({ ...rest, limits: [ten] } as never)).toThrow(
      'guarantee must not be beside limits',
    );
  });

  it.each([
    ['more than the total', 6],
    ['no number', undefined],
  ])('is refused when a function returns %s, and spends nothing', (_what, returned) => {
    const guarantee = { ...TEN.guarantee, limit: ({ tenant }: Job) => (tenant === 'odd' ? (returned as number) : 1) };
    const { limiter } = limiterOf({ guarantee });
    expect(() => limiter.consume({ tenant: 'odd' })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'guarantee.limit()' }),
    );
    expect(limiter.peek({ tenant: 'ann' }).tightest.used).toBe(0);
  });

  it.each([
    ['leased', () => new LeasedStore({ store: new AsyncStore() })],
    ['synced', () => new SyncedStore({ store: new AsyncStore() })],
    ['sharded', () => new ShardedStore({ nodes: { a: new AsyncStore(), b: new AsyncStore() } })],
  ])('is refused by a store that counts apart: %s', async (_what, newStore) => {
    const store = newStore();
    expect(() => createLimiter<Job, true>({ ...TEN, store } as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'store' }),
    );
    await store.close();
  });

  it('counts on a single node', async () => {
    const store = new ShardedStore({ nodes: { a: new AsyncStore() } });
    const limiter = createLimiter<Job, true>({ ...TEN, store } as never);
    expect((await limiter.consume({ tenant: 'ann' })).tightest.guaranteed).toBe(true);
    await store.close();
  });
});

describe('The bound of a guarantee', () => {
  const bucket = tokenBucket({ capacity: 10, refillRate: 1 });

  it.each<readonly [limit: Limit, window: string, options: object, bound: number]>([
    [slidingWindow({ limit: 1000, window: '1m' }), '1m', { guaranteed: 400, lend: 0.5 }, 1200],
    [slidingWindow({ limit: 1000, window: '1m' }), '90s', { guaranteed: 400, lend: 0.5 }, 2400],
    [slidingWindow({ limit: 100, window: '1m' }), '1m', { guaranteed: 100, lend: 0.29 }, 129],
    [slidingWindow({ limit: 100, window: '1m' }), '1m', { guaranteed: 100 }, 100],
    [fixedWindow({ limit: 100, window: '1m', align: 'clock' }), '1m', { guaranteed: 50, lend: 1 }, 300],
    [concurrency({ limit: 10, lease: '1s' }), '1m', { guaranteed: 5, lend: 1 }, 15],
    [bucket, '1s', { guaranteed: 9, lend: 1 }, 21],
    [bucket, '1112ms', { guaranteed: 9 }, 12],
  ])('%j within %s, %j: %d', (limit, window, options, bound) => {
    expect(boundOf(limit, window as never, options)).toBe(bound);
  });

  it('of a bucket is one unit above that of whole units, and is reached', () => {
    const { store, clock } = manualStore();
    const parts = { ann: 9 } as Readonly<Record<string, number>>;
    const guarantee = { ...TEN.guarantee, limit: ({ tenant = '' }: Job) => parts[tenant] ?? 0, total: 9 };
    const limiter = createLimiter<Job>({
      ...TEN,
      limit: bucket,
      window: undefined,
      guarantee,
      store,
    } as unknown as Options);
    let units = admitted(limiter, 'eve') + admitted(limiter, 'ann');
    clock.advance(1000);
    units += admitted(limiter, 'eve');
    clock.advance(112);
    units += admitted(limiter, 'ann');
    expect(units).toBe(12);
  });

  it.each([
    [{ lend: 1 }, 'lend'],
    [{ guaranteed: 11 }, 'guaranteed'],
    [{ guaranteed: 5, lend: 2 }, 'lend'],
    [{ guaranteed: 5, margin: 1 }, 'margin'],
    [{ guaranteed: 5, sync: '1s' }, 'sync'],
  ])('is not computed from %j', (options, path) => {
    expect(() => boundOf(bucket, '1s', options as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });

  it('is not computed for a part whose rate would have to be rounded', () => {
    // The units that come back in a period, times the part, are 10^17 + 1.
    const large = tokenBucket({ capacity: 1e12, refillRate: 413_339 });
    expect(() => boundOf(large, '1s', { guaranteed: 241_932_167_059 })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'guaranteed' }),
    );
  });

  it('is none of a limit that cannot have one', () => {
    const counter = slidingWindowCounter({ limit: 10, window: '1s' });
    expect(() => boundOf(counter, '1s', { guaranteed: 5 })).toThrow(SluiceError);
  });
});
