import assert from 'node:assert/strict';
import {
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { exactly, needing, type Rule, type Rules, type StoreFixture } from './store-fixture.js';

const HOUR_MS = 3_600_000;

/** A rule for stores that count sliding windows exactly. */
const withSlidingWindow = (rule: Rules[string]): Rule => exactly(needing('sliding-window', rule));

/** Asks for one unit so often, at even intervals. Returns how many were admitted. */
async function admitted(fixture: StoreFixture, limit: Limit, times: number, everyMs: number): Promise<number> {
  let count = 0;
  for (let i = 0; i < times; i += 1) {
    if ((await fixture.consume(fixture.check(limit))).allowed) count += 1;
    fixture.clock.advance(everyMs);
  }
  return count;
}

/** Each algorithm that counts units, with so many at once. The rate and the window are always the same. */
const LIMITS_OF: Readonly<Record<string, (units: number) => Limit>> = {
  fixedWindow: (limit) => fixedWindow({ limit, window: '1h' }),
  slidingWindow: (limit) => slidingWindow({ limit, window: '1h' }),
  slidingWindowCounter: (limit) => slidingWindowCounter({ limit, window: '1h' }),
  slidingWindowLog: (limit) => slidingWindowLog({ limit, window: '1h' }),
  tokenBucket: (capacity) => tokenBucket({ capacity, refillRate: 0.001 }),
  'tokenBucket by interval': (capacity) => tokenBucket({ capacity, refillRate: 6, refillInterval: HOUR_MS }),
  'tokenBucket without refill': (capacity) => tokenBucket({ capacity, refillRate: 0 }),
  leakyBucket: (capacity) => leakyBucket({ capacity, leakRate: 0.001 }),
};

/** Limits whose numbers change while their name stays. */
export const changeRules: Rules = {
  'counts what was spent in a whole window after the window was shortened and made longer again': exactly(
    async (fixture) => {
      for (const make of [slidingWindow, slidingWindowLog]) {
        const [hourly, minutely] = [
          { ...make({ limit: 20, window: '1h' }), name: make.name },
          { ...make({ limit: 20, window: '1m' }), name: make.name },
        ];
        if (!fixture.takes(hourly)) continue;
        const of = (limit: Limit) => fixture.check(limit, { name: make.name });
        for (let i = 0; i < 20; i += 1) assert.equal((await fixture.consume(of(hourly))).allowed, true);
        fixture.clock.advance(120_000);
        for (let minute = 0; minute < 18; minute += 1) {
          for (let i = 0; i < 15; i += 1) assert.equal((await fixture.consume(of(minutely))).allowed, true);
          fixture.clock.advance(70_000);
        }
        assert.equal((await fixture.consume(of(hourly))).allowed, false);
        fixture.clock.advance(HOUR_MS / 2);
        assert.equal((await fixture.consume(of(hourly))).allowed, false, 'what was spent lately still counts');
        fixture.clock.advance(2 * HOUR_MS);
        assert.equal(await fixture.remaining(of(hourly)), 20, 'nothing counts for longer than by the longest window');
      }
    },
  ),

  'refuses by a shorter window only what was spent in it, however much is kept for a longer one': withSlidingWindow(
    async (fixture) => {
      const hourly = slidingWindow({ limit: 1000, window: '1h' });
      const shorter = slidingWindow({ limit: 5, window: '1s' });
      await admitted(fixture, hourly, 30, 60_000);
      fixture.clock.advance(180_000); // Until the last sub-window of the hour is over: nobody knows its times.
      assert.equal(await admitted(fixture, shorter, 120, 250), 120, 'four a second, of five');
      assert.equal(await fixture.remaining(fixture.check(hourly)), 1000 - 30 - 120);
    },
  ),

  'keeps what a larger limit has admitted while a smaller one counts refusals': withSlidingWindow(async (fixture) => {
    const [larger, smaller] = [3, 1].map((limit) => slidingWindow({ limit, window: '1s', countRejected: true }));
    assert.equal(await admitted(fixture, larger as Limit, 16, 0), 3);
    fixture.clock.advance(5);
    assert.equal(await admitted(fixture, smaller as Limit, 9, 0), 0);
    assert.equal(await admitted(fixture, larger as Limit, 9, 0), 0);
  }),

  'keeps what the tolerance of a larger limit has admitted while a smaller one spends': needing(
    'margins',
    exactly(async (fixture) => {
      for (const [name, make] of Object.entries(LIMITS_OF)) {
        const [large, small] = [12, 3].map((units) => make(units)) as [Limit, Limit];
        if (!fixture.takes(large)) continue;
        const of = (limit: Limit, cost = 1) => fixture.check(limit, { name, cost, margin: limit.quota });
        for (let i = 0; i < 24; i += 1) assert.equal((await fixture.consume(of(large))).allowed, true, name);
        await fixture.adjust({ ...of(small), cost: 1 });
        assert.equal((await fixture.consume(of(large))).allowed, false, name);
        assert.equal((await fixture.consume(of(small))).allowed, false, name);
        fixture.clock.advance(HOUR_MS / 30);
        await fixture.adjust({ ...of(small), cost: 1 });
        assert.equal((await fixture.consume(of(large))).allowed, false, `${name} a little later`);
        assert.equal((await fixture.consume(of(small))).allowed, false, `${name} a little later`);
      }
    }),
  ),

  'keeps a bucket until it is full by the largest limit that has written it': exactly(
    needing('token-bucket', async (fixture) => {
      for (const rate of [{ refillRate: 0.001 }, { refillRate: 1, refillInterval: HOUR_MS }, { refillRate: 0 }]) {
        const [large, small] = [10, 2].map((capacity) => tokenBucket({ capacity, ...rate })) as [Limit, Limit];
        const of = (limit: Limit, cost: number) => fixture.check(limit, { name: JSON.stringify(rate), cost });
        await fixture.consume(of(large, 10));
        // It is full by the smaller limit now.
        await fixture.adjust(of(small, -2));
        assert.equal(await fixture.remaining(of(small, 1)), 2);
        assert.equal(await fixture.remaining(of(large, 1)), 2);
      }
    }),
  ),
};
