import { describe, expect, it } from '@jest/globals';
import {
  type Charge,
  chargeOf,
  concurrency,
  createLimiter,
  createLine,
  everyone,
  leakyBucket,
  MemoryStore,
  type PolicyMetrics,
  policyMetrics,
  replacePolicy,
  SluiceError,
  unlimited,
} from '@sluice/core';
import { manualStore, settled } from '@sluice/test-kit/manual-store';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { FragileStore } from './fragile-store.js';

const countersOf = (policy: string): PolicyMetrics =>
  policyMetrics().find((counters) => counters.policy === policy) as PolicyMetrics;

const none = { store: 0, local: 0, allow: 0, deny: 0 };

describe('policyMetrics', () => {
  it('has every number of a policy from its construction on, all 0', () => {
    createLimiter({
      name: 'new',
      limits: [{ name: 'a', limit: 5, window: '1m' }, concurrency({ limit: 2, lease: '1s' })],
    });
    expect(countersOf('new')).toMatchObject({
      decisions: { allowed: none, shadowed: none, refused: none },
      skipped: { skip: 0, allowList: 0, denyList: 0 },
      storeErrors: { timeout: 0, unavailable: 0, error: 0 },
      waiting: 0,
      limits: [
        {
          name: 'a',
          checks: { allowed: 0, refused: 0, wouldRefuse: 0 },
          unitsSpent: 0,
          unitsReturned: 0,
          slotsInUse: 0,
          hasSlots: false,
        },
        { name: 'concurrency' },
      ],
    });
  });

  it('counts the requests that the policy skips', () => {
    const limiter = createLimiter<string>({ name: 'skipping', limit: 5, window: '1m', skip: (key) => key === 'ann' });
    for (const key of ['ann', 'bob', 'ann']) limiter.consume(key);
    expect(countersOf('skipping')).toMatchObject({
      decisions: { allowed: { ...none, store: 1 } },
      skipped: { skip: 2, allowList: 0, denyList: 0 },
    });
  });

  it('has the numbers of a limit and how far it is enforced, as they are now', () => {
    let enforce = 0.25;
    createLimiter({
      name: 'described',
      limits: [
        { name: 'fixed', limit: 5, window: '1m' },
        { name: 'marked', limit: 5, window: '1m', enforce: 'mark' },
        { name: 'tier', limit: () => 5, window: '1m', enforce: () => enforce },
      ],
    });
    enforce = 0.5;
    const [fixed, marked, tier] = countersOf('described').limits;
    expect(fixed).toMatchObject({ limit: { quota: 5, windowMs: 60_000 }, enforce: 1 });
    expect(marked).toMatchObject({ enforce: 'mark' });
    expect(tier).toMatchObject({ enforce: 0.5 });
    expect(tier).not.toHaveProperty('limit');
    enforce = 7;
    expect(countersOf('described').limits[2]).not.toHaveProperty('enforce');
  });

  it('keeps the last 16 removed limits by themselves, and counts those before them together, so that sums never shrink', () => {
    const { store } = manualStore();
    const options = (i: number) => ({
      name: 'renamed',
      limits: [
        { name: `a-${i}`, limit: 100, window: '1h' } as const,
        { name: `slots-${i}`, ...concurrency({ limit: 9, lease: '1h' }) },
      ],
    });
    const owner = { ...options(0), store };
    const limiter = createLimiter(owner);
    const first = limiter.reserve('ann', { cost: 5 });
    for (let i = 1; i <= 100; i += 1) {
      replacePolicy(owner, options(i));
      limiter.reserve('ann', { cost: 5 }).settle();
    }
    const byName = () => new Map(countersOf('renamed').limits.map((limit) => [limit.name, limit]));
    const names = [...byName().keys()];
    expect(names).toHaveLength(2 + 16 + 1);
    // Its slot is held, so it stays by itself.
    expect(names).toContain('slots-0');
    expect(byName().get('a-100')).toMatchObject({ unitsSpent: 5, limit: { quota: 100 } });
    expect(byName().get('(others)')).toMatchObject({ hasSlots: true, slotsInUse: 0 });
    const sum = (of: 'unitsSpent' | 'unitsReturned') =>
      countersOf('renamed').limits.reduce((all, limit) => all + limit[of], 0);
    expect([sum('unitsSpent'), sum('unitsReturned')]).toEqual([505, 0]);

    first.cancel();
    expect(byName().get('(others)')).toMatchObject({ unitsReturned: 5 });
    expect(byName().get('slots-0')).toMatchObject({ slotsInUse: 0 });
    expect(countersOf('renamed').limits).toHaveLength(names.length);
  });

  it('describes a limit as long as one policy of the name has it', () => {
    const owners = [1, 2].map(() => ({
      name: 'two policies',
      limit: 5,
      window: '1m' as const,
      store: new MemoryStore(),
    }));
    for (const owner of owners) createLimiter(owner);
    for (const left of [1, 0]) {
      replacePolicy(owners[left] as object, { limits: [{ name: 'new', limit: 7, window: '1m' }] });
      expect(countersOf('two policies').limits.map(({ limit }) => limit?.quota)).toEqual(
        left ? [5, 7] : [undefined, 7],
      );
    }
  });

  it('counts policies of one name together, on any store', () => {
    for (const store of [new MemoryStore(), new MemoryStore()])
      createLimiter({ name: 'twice', limit: 5, window: '1m', store }).consume('ann');
    expect(countersOf('twice').decisions.allowed).toEqual({ ...none, store: 2 });
  });

  it('counts what is left after a check by tenths of the limit, from nothing to all', () => {
    const limiter = createLimiter({ name: 'tenths', limit: 20, window: '1m' });
    for (let i = 0; i < 20; i += 1) limiter.consume('ann');
    limiter.consume('bob', { cost: 0 });
    expect(countersOf('tenths').limits[0]?.allowedByTenths).toEqual([1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
  });

  it('counts refused checks, of one limit and of several', () => {
    const one = { name: 'a', limit: 1, window: '1m' } as const;
    for (const [name, limits] of [['lone', [one]] as const, ['two', [one, { limit: 9, window: '1h' }]] as const]) {
      const limiter = createLimiter({ name, limits });
      for (let i = 0; i < 4; i += 1) limiter.consume('ann');
      expect(countersOf(name).limits[0]?.checks).toEqual({ allowed: 1, refused: 3, wouldRefuse: 0 });
    }
  });

  it('counts no units of unlimited tiers, and their checks', () => {
    createLimiter({ name: 'unlimited', limit: () => unlimited() }).consume('ann', { cost: 7 });
    expect(countersOf('unlimited').limits[0]).toMatchObject({ checks: { allowed: 1 }, unitsSpent: 0 });
  });

  it.each([
    ['local', 'allowed', 1],
    ['allow', 'allowed', 0],
    ['deny', 'refused', 0],
  ] as const)('counts a failed store, and who decided instead: %s', async (onStoreError, outcome, spent) => {
    const store = new FragileStore('by rejecting');
    const name = `failing, ${onStoreError}`;
    const limiter = createLimiter({ name, limit: 0 + 5, window: '1m', store, onStoreError });
    for (const failure of [
      new Error('connection lost'),
      new SluiceError('SLUICE_STORE', 'late', { storeFailure: 'timeout' }),
      new SluiceError('SLUICE_STORE', 'not asked', { storeFailure: 'unavailable' }),
    ]) {
      store.failure = failure;
      await limiter.consume(failure.message);
    }
    const { storeErrors, decisions, limits } = countersOf(name);
    expect(storeErrors).toMatchObject({ error: 1 });
    expect(storeErrors.timeout + storeErrors.unavailable + storeErrors.error).toBe(3);
    expect(decisions[outcome]).toEqual({ ...none, [onStoreError]: 3 });
    expect(limits[0]?.unitsSpent).toBe(3 * spent);
  });

  it('counts slots while this process holds them, whoever frees them', () => {
    const { store, clock } = manualStore();
    const limiter = createLimiter({ name: 'slots', limit: concurrency({ limit: 3, lease: '30s' }), store });
    const inUse = () => countersOf('slots').limits[0]?.slotsInUse;
    const [one, two, three, refused] = Array.from({ length: 4 }, () => limiter.reserve('ann'));
    expect([refused?.allowed, inUse()]).toEqual([false, 3]);
    one?.settle();
    two?.release();
    expect(inUse()).toBe(1);
    two?.cancel();
    three?.cancel();
    refused?.cancel();
    expect(inUse()).toBe(0);
    limiter.reserve('ann', { expires: '5s' });
    expect(inUse()).toBe(1);
    clock.advance('5s');
    return settled().then(() => {
      expect(inUse()).toBe(0);
      expect(countersOf('slots').limits[0]).toMatchObject({ unitsSpent: 0, unitsReturned: 0 });
    });
  });

  it('counts a slot once, under its limit, if parts of the limit are guaranteed', () => {
    const limiter = createLimiter<{ readonly tenant: string }, false>({
      name: 'guaranteed slots',
      limit: concurrency({ limit: 4, lease: '30s' }),
      keyGenerator: everyone(),
      guarantee: { keyGenerator: ({ tenant }) => tenant, limit: 1, total: 2 },
      store: new MemoryStore({ clock: new ManualClock() }),
    });
    const inUse = () => countersOf('guaranteed slots').limits.map(({ name, slotsInUse }) => [name, slotsInUse]);
    const [one, two] = [limiter.reserve({ tenant: 'a' }), limiter.reserve({ tenant: 'a' })];
    expect(inUse()).toEqual([['guaranteed slots', 2]]);
    one.settle();
    two.cancel();
    expect(inUse()).toEqual([['guaranteed slots', 0]]);
  });

  it('counts the slot of an operation once, however often its call is repeated, until any of its calls frees it', () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    const limiter = createLimiter({ name: 'repeated', limit: concurrency({ limit: 3, lease: '30s' }), store });
    const inUse = () => countersOf('repeated').limits[0]?.slotsInUse;
    const [first, again] = [limiter.reserve('ann', { id: 'm1' }), limiter.reserve('ann', { id: 'm1' })];
    const charge = chargeOf(limiter.reserve('ann')) as Charge;
    expect(inUse()).toBe(1);
    first.settle();
    expect(inUse()).toBe(0);
    again.settle();
    limiter.correct(charge, {});
    expect([inUse(), limiter.peek('ann').tightest.remaining]).toEqual([0, 3]);
  });

  it('counts units that are given back, except by a leaky bucket, which takes none back', () => {
    const limits = [
      { name: 'window', limit: 50, window: '1m' } as const,
      leakyBucket({ capacity: 50, leakRate: 1, name: 'leaky' }),
    ];
    const limiter = createLimiter({ name: 'returned', limits });
    limiter.consume('ann', { cost: 6 });
    limiter.refund('ann', { cost: 2 });
    limiter.reserve('ann', { cost: 5 }).cancel();
    limiter.refund('nobody', { cost: 9 });
    const [window, leaky] = countersOf('returned').limits;
    expect(window).toMatchObject({ unitsSpent: 11, unitsReturned: 7 });
    expect(leaky).toMatchObject({ unitsSpent: 11, unitsReturned: 0 });
  });

  it('counts delays of admitted requests', () => {
    const { store } = manualStore();
    const limiter = createLimiter({ name: 'delayed', limit: leakyBucket({ capacity: 5, leakRate: 1 }), store });
    for (let i = 0; i < 3; i += 1) limiter.consume('ann');
    const { upToMs, counts, sumMs } = (countersOf('delayed').limits[0] as PolicyMetrics['limits'][number]).delays;
    expect(sumMs).toBe(3000);
    expect([counts[upToMs.indexOf(1000)], counts[upToMs.indexOf(2500)]]).toEqual([1, 1]);
    expect(counts).toHaveLength(upToMs.length + 1);
  });

  it('counts who waits now, and how long the others waited', async () => {
    const clock = new ManualClock();
    const store = new MemoryStore({ clock });
    const limiter = createLimiter({ name: 'waiting', limit: 1, window: '2s', store });
    const line = createLine({ limiter, maxWait: '10s' });
    await limiter.wait('ann');
    const gone = new AbortController();
    const waits = [limiter.wait('ann'), limiter.wait('ann', { signal: gone.signal }).catch(() => {})];
    waits.push(line.run('ann', () => {}) as never);
    await settled();
    expect(countersOf('waiting')).toMatchObject({ waiting: 3, waits: { sumMs: 0 } });
    clock.advance('1s');
    gone.abort();
    await settled();
    expect(countersOf('waiting')).toMatchObject({ waiting: 2, waits: { sumMs: 1000 } });
    for (let i = 0; i < 3; i += 1) {
      clock.advance('1s');
      await settled();
    }
    await Promise.all(waits);
    expect(countersOf('waiting')).toMatchObject({ waiting: 0, waits: { sumMs: 1000 + 2000 + 4000 } });
  });
});
