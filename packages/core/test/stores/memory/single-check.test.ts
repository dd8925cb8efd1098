import '@sluice/core/calendars';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Key,
  type Limit,
  type Limiter,
  MemoryStore,
  policyMetrics,
  slidingWindow,
  slidingWindowLog,
  subscribe,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { plainLimits, runs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import type { Algorithm } from '../../../src/algorithms/definition.js';
import { ALGORITHMS } from '../../../src/algorithms/definitions.js';
import type { Kernel } from '../../../src/algorithms/kernel.js';
import { SingleCheck } from '../../../src/stores/memory/single-check.js';
import { KeyTable } from '../../../src/stores/memory/table/key-table.js';
import { GeneralStore } from './general-store.js';

beforeEach(() => {
  // Sweeps by real time would forget keys that are valid again when the clock goes back.
  jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const byHour = fixedWindow({ limit: 50, window: { unit: 'hour', timeZone: 'UTC' } });

const { concurrency: _slots, ...plain } = plainLimits;
const { concurrency: _strictSlots, ...strict } = strictLimits;
const anyLimit = fc.oneof(
  ...Object.values(plain),
  ...Object.values(strict),
  fc.constant(slidingWindowLog({ limit: 60, window: 2000 })),
);

/** Returns a function that counts the decisions by quick routes from now on. */
function decisions(): () => number {
  const decide = jest.spyOn(SingleCheck.prototype, 'decide');
  return () => decide.mock.results.filter(({ value }) => value !== undefined).length;
}

const step = fc.record({
  verb: fc.constantFrom('consume', 'consume', 'consume', 'consume', 'peek', 'reserve', 'charge', 'refund', 'reset'),
  who: fc.constantFrom('ann', 'bob', 'Łukasz', '~n1', 'x'.repeat(200)),
  cost: fc.option(fc.oneof(fc.nat(3), fc.nat(70)), { nil: undefined }),
  passesMs: fc.oneof(
    fc.constant(0),
    fc.nat(3),
    fc.nat(3000),
    fc.integer({ min: -500, max: -1 }),
    fc.constant(86_400_000),
  ),
  settled: fc.option(fc.nat(5), { nil: undefined }),
});
const steps = fc.array(step, { maxLength: 80, size: 'max' });

type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

function take({ verb, who, cost, settled }: Step, limiter: Limiter<string, false>): unknown {
  const spend = cost === undefined ? undefined : { cost };
  if (verb === 'reset') return limiter.reset(who);
  if (verb !== 'reserve') return limiter[verb as 'consume'](who, spend);
  const reservation = limiter.reserve(who, spend);
  const { allowed, verdicts, retryAfterMs } = reservation;
  if (settled !== undefined) reservation.settle(settled);
  return { allowed, verdicts, retryAfterMs };
}

describe('A limiter whose store decides by its quick route', () => {
  it('decides like one whose store decides by its general route, to the last unit, and keeps as many keys', () => {
    const stores = fc.record({ maxKeys: fc.constantFrom(1, 2, 100), whenFull: fc.constantFrom('evict', 'refuse') });
    fc.assert(
      fc.property(anyLimit, stores, fc.integer({ min: 1, max: 3 }), steps, (limit, options, cost, script) => {
        const clock = new ManualClock();
        const store = new MemoryStore({ clock, ...options } as never);
        const other = new GeneralStore({ clock, ...options } as never);
        const quick = createLimiter({ limit, cost, store });
        const general = createLimiter({ limit, cost, store: other });
        for (const step of script) {
          clock.set(clock.now() + step.passesMs);
          expect(take(step, quick)).toEqual(take(step, general));
          expect(store.size).toBe(other.size);
        }
        store.close();
        other.close();
      }),
      runs(5),
    );
  });

  it.each([
    ['sliding window', slidingWindow({ limit: 50, window: '1m' })],
    ['sliding window of single units', slidingWindow({ limit: 20, window: '1m' })],
    ['fixed window', fixedWindow({ limit: 50, window: '1m' })],
    ['fixed window by the clock', fixedWindow({ limit: 50, window: '1m', align: 'clock' })],
  ])('decides in place about a %s, and leaves what changes more than numbers to others', (_, limit) => {
    const inPlace = jest.spyOn(ALGORITHMS[limit.algorithm as Algorithm].kernel as Required<Kernel>, 'decideInPlace');
    const wasInPlace = () => inPlace.mock.results.splice(0).map(({ value }) => value);
    const clock = new ManualClock();
    const limiter = createLimiter({ limit, store: new MemoryStore({ clock }) });
    const general = createLimiter({ limit, store: new GeneralStore({ clock }) });
    const consume = (cost: number) =>
      expect(limiter.consume('ann', { cost })).toEqual(general.consume('ann', { cost }));
    consume(1);
    expect(wasInPlace()).toEqual([]);
    consume(1);
    consume(2);
    consume(limit.quota - 1);
    consume(limit.quota - 3);
    expect(wasInPlace()).toEqual([true, true, true, true]);
    consume(0);
    consume(limit.quota + 1);
    expect(wasInPlace()).toEqual([false]);
    clock.advance(120_000);
    consume(1);
    consume(limit.quota - 1);
    expect(wasInPlace().at(-1)).toBe(false);
  });

  it('reads again what was changed in place', () => {
    const clock = new ManualClock();
    const limit = slidingWindow({ limit: 50, window: '1m' });
    const limiter = createLimiter({ limit, store: new MemoryStore({ clock }) });
    limiter.consume('ann');
    clock.advance(5000);
    limiter.consume('ann');
    for (let left = 47; left > 40; left -= 1) {
      expect(limiter.consume('ann', { cost: 0 }).tightest.remaining).toBe(left + 1);
      expect(limiter.consume('ann').tightest.remaining).toBe(left);
      expect(limiter.peek('ann').tightest.remaining).toBe(left);
    }
  });

  it('reads a key again after a new key was refused', () => {
    const clock = new ManualClock();
    const limiter = createLimiter({
      limit: slidingWindow({ limit: 50, window: '1m' }),
      store: new MemoryStore({ clock }),
    });
    limiter.consume('ann');
    clock.advance(5000);
    limiter.consume('ann');
    expect(limiter.peek('ann').tightest.remaining).toBe(48);
    expect(limiter.consume('ann', { cost: 50 }).allowed).toBe(false);
    clock.advance(5000);
    expect(limiter.consume('ann').tightest.remaining).toBe(47);
    expect(limiter.consume('bob', { cost: 51 })).toMatchObject({ allowed: false, tightest: { used: 0 } });
    clock.advance(5000);
    expect(limiter.consume('ann').tightest.remaining).toBe(46);
  });

  it('corrects a bucket whose capacity was lowered, before it decides', () => {
    const clock = new ManualClock();
    const large = tokenBucket({ capacity: 50, refillRate: 1 });
    const small = tokenBucket({ capacity: 5, refillRate: 1 });
    let limit = large;
    const limiters = [new MemoryStore({ clock }), new GeneralStore({ clock })].map((store) =>
      createLimiter<string, false>({ limit: () => limit, store }),
    );
    const both = (verb: 'consume' | 'charge', cost: number) => {
      const [quick, general] = limiters.map((limiter) => limiter[verb]('ann', { cost }));
      expect(quick).toEqual(general);
    };
    both('consume', 1);
    limit = small;
    both('consume', 1);
    limit = large;
    both('charge', 90);
    limit = small;
    for (let i = 0; i < 8; i += 1) {
      clock.advance(1000);
      both('consume', 1);
    }
  });

  it('decides the same if a function chooses the limit of each request, among any limits', () => {
    const some = fc.oneof(
      { weight: 8, arbitrary: anyLimit },
      { weight: 1, arbitrary: fc.constantFrom(unlimited(), byHour, slidingWindow({ limit: 9, window: '1s' })) },
    );
    const tiers = fc.array(some, { minLength: 2, maxLength: 4 });
    const shapes = fc.record(
      {
        cost: fc.integer({ min: 1, max: 3 }),
        tolerance: fc.constantFrom(0, 0.3),
        keyGenerator: fc.constant((subject: string) => ['of', subject]),
        quotaUnit: fc.constant('tokens'),
      },
      { requiredKeys: [] },
    );
    const decided = decisions();
    const stepsOfTiers = fc.array(fc.tuple(fc.nat(3), step), { maxLength: 80, size: 'max' });
    fc.assert(
      fc.property(tiers, shapes, stepsOfTiers, (limits, shape, script) => {
        const clock = new ManualClock();
        const store = new MemoryStore({ clock });
        const other = new GeneralStore({ clock });
        let limit = limits[0] as Limit;
        const policy = { limit: () => limit, ...shape };
        const quick = createLimiter<string, false>({ ...policy, store });
        const general = createLimiter<string, false>({ ...policy, store: other });
        for (const [tier, step] of script) {
          limit = limits[tier % limits.length] as Limit;
          clock.set(clock.now() + step.passesMs);
          expect(take(step, quick)).toEqual(take(step, general));
          expect(store.size).toBe(other.size);
        }
        store.close();
        other.close();
      }),
      runs(5),
    );
    expect(decided()).toBeGreaterThan(100);
  });

  it('takes the quick route for each limit that it serves, whether a function returns it at once or later', async () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    const asked = decisions();
    let limit: Limit | Promise<Limit> = slidingWindow({ limit: 9, window: '1m' });
    let chosen = 0;
    const choose = (): Limit => {
      chosen += 1;
      return limit as Limit;
    };
    const limiter = createLimiter<string, false>({ limit: choose, store });
    limiter.consume('ann');
    limiter.reserve('ann');
    limiter.reserve('ann', { cost: 2 });
    limiter.consume(7 as unknown as string);
    expect([asked(), chosen]).toEqual([4, 4]);
    limit = tokenBucket({ capacity: 5, refillRate: 1 });
    expect(limiter.consume('ann').tightest.remaining).toBe(4);
    expect([asked(), chosen]).toEqual([5, 5]);
    for (const elsewhere of [byHour, unlimited()]) {
      limit = elsewhere;
      expect(limiter.consume('ann')).toMatchObject({ allowed: true, tightest: { limit } });
    }
    limit = concurrency({ limit: 1, lease: '1m' });
    expect(() => limiter.consume('ann')).toThrow('use reserve() or wait()');
    const slot = limiter.reserve('ann');
    expect([slot.allowed, limiter.reserve('ann').allowed]).toEqual([true, false]);
    slot.release();
    limit = Promise.resolve(slidingWindow({ limit: 9, window: '1m' }));
    expect((await limiter.consume('ann')).tightest.remaining).toBe(9 - 1 - 1 - 2 - 1);
    expect((await limiter.reserve('ann')).tightest.remaining).toBe(9 - 1 - 1 - 2 - 2);
    expect([asked(), chosen]).toEqual([7, 12]);
  });

  it('makes what a limit needs once with the policy, unless a function chooses the limit', () => {
    const made = jest.spyOn(KeyTable.prototype, 'startOf');
    const limit = slidingWindow({ limit: 9, window: '1m' });
    const store = new MemoryStore();
    const known = createLimiter<string, false>({ name: 'known', limits: [{ name: 'rate', limit }], store });
    createLimiter<string, false>({ limit });
    const unknown = createLimiter<string, false>({
      name: 'unknown',
      limits: [{ name: 'rate', limit: () => limit }],
      store,
    });
    expect(made.mock.calls).toEqual([
      ['known', 'rate', 'sliding-window'],
      ['default', 'per-1m', 'sliding-window'],
    ]);
    known.consume('ann');
    expect(made).toHaveBeenCalledTimes(2);
    unknown.consume('ann');
    expect(made).toHaveBeenCalledTimes(3);
  });

  it('spends nothing if the function fails, returns no limit, or the cost is wrong', () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    let tier = (): Limit => {
      throw new Error('no plan');
    };
    const limiter = createLimiter({ limit: () => tier(), store });
    for (const spend of [limiter.consume, limiter.reserve]) {
      expect(() => spend('ann')).toThrow('no plan');
      tier = () => 5 as unknown as Limit;
      expect(() => spend('ann')).toThrow('limit() must be a Limit');
      tier = () => slidingWindow({ limit: 9, window: '1m' });
      expect(() => spend('ann', { cost: -1 })).toThrow('a cost must be a safe integer');
      expect(store.size).toBe(0);
      tier = () => {
        throw new Error('no plan');
      };
    }
  });

  it('publishes and counts a decision whose limit a function chooses, once', () => {
    const limiter = createLimiter({ name: 'chosen', limit: (who: string) => (who === 'ann' ? 10 : 20), window: '1m' });
    const heard: unknown[] = [];
    const stop = subscribe('sluice:decision', ({ decision, keys }) => heard.push([decision.tightest.remaining, keys]));
    limiter.consume('ann');
    limiter.reserve('bob');
    stop();
    limiter.consume('ann');
    expect(heard).toEqual([
      [9, [expect.any(String)]],
      [19, [expect.any(String)]],
    ]);
    const counters = policyMetrics().find(({ policy }) => policy === 'chosen');
    expect(counters?.decisions.allowed.store).toBe(3);
    expect(counters?.limits[0]?.allowedByTenths.slice(8)).toEqual([1, 1, 1]);
  });

  it('keeps the state of every key separate, however long it becomes', () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    const limiter = createLimiter({ limit: slidingWindowLog({ limit: 200, window: '1h' }), store });
    const clock = store.clock as ManualClock;
    for (let i = 0; i < 100; i += 1) {
      clock.advance(1);
      expect(limiter.consume('ann').tightest.remaining).toBe(199 - i);
      if (i % 5 === 0) expect(limiter.consume('bob').tightest.remaining).toBe(199 - i / 5);
    }
  });

  it('asks the consume of the store also if that was replaced', () => {
    const store = new MemoryStore();
    const limiter = createLimiter({ limit: 2, window: '1m', store });
    limiter.consume('ann');
    const asked = jest.spyOn(store, 'consume');
    expect(limiter.consume('ann').tightest.remaining).toBe(0);
    expect(limiter.reserve('ann').allowed).toBe(false);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('uses the consume of a derived class', () => {
    const store = new GeneralStore();
    createLimiter({ limit: 2, window: '1m', store }).consume('ann');
    expect(store.asked).toBe(1);
  });

  it('returns the right decision if a listener consumes meanwhile', () => {
    const store = new MemoryStore({ maxKeys: 1, clock: new ManualClock() });
    const limiter = createLimiter({ limit: fixedWindow({ limit: 1, window: '1m' }), store });
    let heard = 0;
    const stop = subscribe('sluice:evicted', () => {
      heard += 1;
      if (heard === 1) limiter.consume('cid');
      if (heard === 2) expect(limiter.consume('cid').allowed).toBe(false);
    });
    limiter.consume('ann');
    expect(limiter.consume('bob')).toMatchObject({ allowed: true, tightest: { remaining: 0, resetAfterMs: 60_000 } });
    stop();
    expect(heard).toBeGreaterThan(1);
  });

  it('gives back to the right key if a listener consumes meanwhile', () => {
    const store = new MemoryStore({ maxKeys: 2, clock: new ManualClock() });
    const limiter = createLimiter({ limit: fixedWindow({ limit: 1, window: '1m' }), store });
    let asked = false;
    const stop = subscribe('sluice:evicted', () => {
      if (asked) return;
      asked = true;
      limiter.consume('dot');
    });
    limiter.consume('ann');
    limiter.consume('cid');
    const reservation = limiter.reserve('bob');
    stop();
    expect(asked).toBe(true);
    reservation.cancel();
    expect(limiter.peek('bob').allowed).toBe(true);
    expect(limiter.peek('dot').allowed).toBe(false);
  });

  it('throws for a key that is nested too deep, and counts no other key instead', () => {
    let key: Key = ['ann'];
    const limiter = createLimiter<string, false>({ limit: 1, window: '1m', keyGenerator: () => key });
    limiter.reserve('');
    for (let depth = 0; depth < 50_000; depth += 1) key = [key];
    expect(() => limiter.reserve('')).toThrow(expect.objectContaining({ code: 'SLUICE_KEY' }));
  });

  it('follows onStoreError if the clock fails', () => {
    let isBroken = false;
    const clock = {
      now(): number {
        if (isBroken) throw new Error('no time');
        return 1_700_000_000_000;
      },
      sleep: async () => {},
    };
    const policy = { limit: 1, window: '1m', store: new MemoryStore({ clock }), onStoreError: 'allow' } as const;
    const limiter = createLimiter(policy);
    limiter.consume('ann');
    isBroken = true;
    expect(limiter.consume('ann')).toMatchObject({ allowed: true, source: 'allow' });
    expect(limiter.reserve('ann')).toMatchObject({ allowed: true, source: 'allow' });
    isBroken = false;
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, source: 'store' });
  });

  it('reads a list of keys as it is now', () => {
    const key = ['user', 'ann'];
    const limiter = createLimiter<string, false>({ limit: 1, window: '1m', keyGenerator: () => key });
    limiter.reserve('');
    key[1] = 'bob';
    expect(limiter.reserve('').allowed).toBe(true);
    expect(limiter.reserve('').allowed).toBe(false);
  });
});
