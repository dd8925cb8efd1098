import {
  fixedWindow,
  type Limit,
  type LimitCheck,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  type WindowOptions,
} from '@sluice/core';
import * as assert from '../assert.js';
import { atOnce, exactly, needing, type Rule, type Rules, type StoreFixture } from './store-fixture.js';

const HOUR_MS = 3_600_000;

const HOURLY = { limit: 20, window: '1h' } as const;

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
      const makes = [slidingWindow, slidingWindowLog].filter((make) => fixture.takes(make(HOURLY)));
      const each = (ask: (check: LimitCheck) => Promise<void>, options: WindowOptions) =>
        atOnce(makes, (make) => ask(fixture.check(make(options), { name: make.name })));
      const spend = (units: number, options: WindowOptions) =>
        each(async (check) => {
          for (let i = 0; i < units; i += 1) assert.equal((await fixture.consume(check)).allowed, true, check.name);
        }, options);
      const expectRefused = (what: string) =>
        each(
          async (check) => assert.equal((await fixture.consume(check)).allowed, false, `${check.name}: ${what}`),
          HOURLY,
        );
      await spend(20, HOURLY);
      fixture.clock.advance(120_000);
      for (let minute = 0; minute < 18; minute += 1) {
        await spend(15, { ...HOURLY, window: '1m' });
        fixture.clock.advance(70_000);
      }
      await expectRefused('what was spent in the hour counts');
      fixture.clock.advance(HOUR_MS / 2);
      await expectRefused('what was spent lately still counts');
      fixture.clock.advance(2 * HOUR_MS);
      await each(
        async (check) =>
          assert.equal(
            await fixture.remaining(check),
            20,
            `${check.name}: nothing counts for longer than by the longest window`,
          ),
        HOURLY,
      );
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
      const names = Object.entries(LIMITS_OF).filter(([, make]) => fixture.takes(make(12)));
      const of = (name: string, limit: Limit) => fixture.check(limit, { name, margin: limit.quota });
      const spendAndExpectRefused = (when: string) =>
        atOnce(names, async ([name, make]) => {
          const [large, small] = [of(name, make(12)), of(name, make(3))];
          await fixture.adjust(small);
          assert.equal((await fixture.consume(large)).allowed, false, `${name} ${when}`);
          assert.equal((await fixture.consume(small)).allowed, false, `${name} ${when}`);
        });
      await atOnce(names, async ([name, make]) => {
        const large = of(name, make(12));
        for (let i = 0; i < 24; i += 1) assert.equal((await fixture.consume(large)).allowed, true, name);
      });
      await spendAndExpectRefused('at once');
      fixture.clock.advance(HOUR_MS / 30);
      await spendAndExpectRefused('a little later');
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
