import {
  fixedWindow,
  type Limit,
  type LimitCheck,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  type WindowOptions,
} from '@sluice/core';
import * as assert from '../assert.js';
import { atOnce, exactly, type Rules, type StoreFixture } from './store-fixture.js';

const TEN = { limit: 10, window: '1s', countRejected: 'always' } as const;

/** Limits of ten a second that always count refusals. */
const STRICT: readonly (readonly [name: string, limit: Limit])[] = [
  ['a sliding window', slidingWindow(TEN)],
  ['a sliding window of few sub-windows', slidingWindow({ ...TEN, buckets: 3 })],
  ['a sliding window log', slidingWindowLog(TEN)],
  ['a sliding window counter', slidingWindowCounter(TEN)],
  ['a token bucket', tokenBucket({ capacity: 10, refillRate: 10, countRejected: 'always' })],
];

/** Two limits that count refusals, of which a key that asks twice a second uses up one at once, and the other in 5 s. */
const byTheMillisecond = (fixture: StoreFixture, limitOf: (options: WindowOptions) => Limit, key: string) => {
  const countRejected = 'always';
  return [
    fixture.check(limitOf({ limit: 10, window: '60s', countRejected }), { name: 'ten', key }),
    fixture.check(limitOf({ limit: 1, window: '3s', countRejected }), { name: 'apart', key }),
  ];
};

const COUNTING = slidingWindow({ limit: 10, window: '1m', countRejected: 'always' });
const BLOCKING = fixedWindow({ limit: 1, window: '1s', blockDuration: '1h' });
const EMPTY = tokenBucket({ capacity: 0, refillRate: 0 });
const ROOMY = tokenBucket({ capacity: 10, refillRate: 1 });

/** Enough keys for several places to count them. */
const KEYS = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'] as const;

/** Asks in both orders, each time about keys of its own: `ask` gets the order, and a function that makes those keys. */
async function inBothOrders(
  ask: (
    inOrder: (one: LimitCheck, other: LimitCheck) => readonly LimitCheck[],
    keyOf: (key: string) => string,
  ) => Promise<void>,
): Promise<void> {
  for (const [i, key] of KEYS.entries()) {
    await ask(
      (one, other) => (i % 2 === 0 ? [one, other] : [other, one]),
      (name) => `${name} of ${key}`,
    );
  }
}

/** Refusals that count. */
export const refusalRules: Rules = {
  async 'counts what the limit of another key refuses'(fixture) {
    await inBothOrders(async (inOrder, keyOf) => {
      const counting = fixture.check(COUNTING, { key: keyOf('counting') });
      const empty = fixture.check(EMPTY, { key: keyOf('empty'), name: 'empty' });
      assert.equal((await fixture.consume(inOrder(counting, empty))).allowed, false);
      assert.equal(await fixture.remaining(counting), 9, counting.key);
    });
  },

  async 'begins the block of each limit that refuses, also of other keys'(fixture) {
    for (const limit of [EMPTY, fixedWindow({ limit: 0, window: '1m' })]) {
      await inBothOrders(async (inOrder, keyOf) => {
        const blocking = fixture.check(BLOCKING, { key: keyOf('blocking') });
        const name = limit.algorithm;
        await fixture.consume(blocking);
        const refusing = fixture.check(limit, { key: keyOf(name), name });
        assert.equal((await fixture.consume(inOrder(blocking, refusing))).allowed, false);
        fixture.clock.advance(1000);
        assert.equal((await fixture.consume(blocking)).allowed, false, `${blocking.key}, beside a ${name}`);
        await fixture.reset(blocking);
      });
    }
  },

  'begins the block of a bucket that refuses beside a bucket of another key': exactly(async (fixture) => {
    await inBothOrders(async (inOrder, keyOf) => {
      const roomy = fixture.check(ROOMY, { key: keyOf('roomy'), name: 'roomy' });
      const blocking = fixture.check(tokenBucket({ capacity: 1, refillRate: 1, blockDuration: '1h' }), {
        key: keyOf('blocking'),
      });
      await fixture.consume(blocking);
      assert.equal((await fixture.consume(inOrder(roomy, blocking))).allowed, false);
      fixture.clock.advance(2000);
      assert.equal((await fixture.consume(blocking)).allowed, false, blocking.key);
    });
  }),

  'repeats a refusal by the limit of another key, and counts it once': exactly(async (fixture) => {
    await inBothOrders(async (inOrder, keyOf) => {
      const counting = fixture.check(
        tokenBucket({ capacity: 10, refillRate: 0, keepFor: '1d', countRejected: 'always' }),
        { key: keyOf('counting') },
      );
      const tight = fixture.check(tokenBucket({ capacity: 1, refillRate: 1 }), { key: keyOf('tight'), name: 'tight' });
      await fixture.consume(tight);
      const checks = inOrder(counting, tight);
      const own = { id: keyOf('id'), holdMs: 60_000 };
      for (const attempt of ['first', 'second']) {
        assert.equal((await fixture.consume(checks, { ...own, attempt })).allowed, false, `${attempt} ${own.id}`);
        fixture.clock.advance(2000);
      }
      assert.equal(await fixture.remaining(counting), 9, counting.key);
    });
  }),

  async 'records what another place has refused, and spends nothing'(fixture) {
    for (const [name, limit] of fixture.limits) {
      const check = fixture.check(limit, { name });
      const { verdicts } = await fixture.consume(check, { id: name });
      const spent = verdicts[0]?.remaining;
      await fixture.consume(check, { peek: 'refused', id: 'another' });
      const counts = limit.countRejected === undefined ? 0 : 1;
      assert.equal(await fixture.remaining(check), (spent as number) - counts, name);
    }
    const blocking = fixture.check(BLOCKING, { name: 'blocking' });
    await fixture.consume(blocking, { peek: 'refused' });
    assert.equal((await fixture.consume(blocking)).allowed, true, 'what this limit would admit begins no block');
    await fixture.consume(blocking, { peek: 'refused' });
    fixture.clock.advance(1000);
    assert.equal((await fixture.consume(blocking)).allowed, false, 'what it would refuse begins one');
  },

  'keeps refusing a key that used up its limit and keeps asking, at any rate': exactly(async (fixture) => {
    const strict = STRICT.filter(([, limit]) => fixture.takes(limit));
    // Less often than sub-windows begin, more often, and so often that some get several.
    for (const everyMs of [90, 20, 7]) {
      const checks = strict.map(([name, limit]) => fixture.check(limit, { name, key: `every ${everyMs} ms` }));
      const admittedOf = (cost: number) =>
        atOnce(checks, async (check) => [check.name, (await fixture.consume({ ...check, cost })).allowed]);
      const all = (allowed: boolean) => strict.map(([name]) => [name, allowed]);
      assert.deepEqual(await admittedOf(10), all(true));
      // After a window, nothing but refusals counts, and all goes on as before.
      for (let ms = everyMs; ms < 1200; ms += everyMs) {
        fixture.clock.advance(everyMs);
        assert.deepEqual(await admittedOf(1), all(false), `asked every ${everyMs} ms, after ${ms} ms`);
      }
    }
  }),

  'counts refusals by the millisecond: with ten a minute, a key is admitted again when its tenth newest request is a minute old':
    exactly(async (fixture) => {
      const limitsOf = [slidingWindowLog, slidingWindow].filter((limitOf) => fixture.takes(limitOf(TEN)));
      const admittedOf = (key: string) =>
        atOnce(limitsOf, async (limitOf) => {
          const { allowed } = await fixture.consume(byTheMillisecond(fixture, limitOf, `${key} ${limitOf.name}`));
          return allowed;
        });
      const all = (allowed: boolean) => limitsOf.map(() => allowed);
      const startMs = fixture.clock.now();
      for (let ms = 0; ms <= 50_000; ms += 500) {
        fixture.clock.set(startMs + ms);
        for (const admitted of await atOnce(['early', 'in time'], admittedOf))
          assert.deepEqual(admitted, all(ms === 0), `after ${ms} ms`);
      }
      fixture.clock.set(startMs + 105_499);
      assert.deepEqual(await admittedOf('early'), all(false));
      fixture.clock.set(startMs + 105_500);
      assert.deepEqual(await admittedOf('in time'), all(true));
    }),
};
