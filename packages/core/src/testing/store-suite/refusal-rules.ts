import assert from 'node:assert/strict';
import { tokenBucket } from '../../algorithms/buckets/token.js';
import { slidingWindowLog } from '../../algorithms/sliding/log.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { slidingWindowCounter } from '../../algorithms/sliding-window-counter.js';
import type { WindowOptions } from '../../algorithms/window.js';
import type { Limit } from '../../values/limit.js';
import { exactly, type Rules, type StoreFixture } from './store-fixture.js';

const TEN = { limit: 10, window: '1s', countRejected: 'always' } as const;

/** Limits of ten a second that always count refusals. */
const STRICT: readonly (readonly [name: string, limit: Limit])[] = [
  ['a sliding window', slidingWindow(TEN)],
  ['a sliding window of few sub-windows', slidingWindow({ ...TEN, buckets: 3 })],
  ['a sliding window log', slidingWindowLog(TEN)],
  ['a sliding window counter', slidingWindowCounter(TEN)],
  ['a token bucket', tokenBucket({ capacity: 10, refillRate: 10, countRejected: 'always' })],
];

/** Asks twice a second for 50 s, and then at `thenMs`. Returns whether the last request was admitted. */
async function isAdmittedAt(thenMs: number, fixture: StoreFixture, limitOf: (options: WindowOptions) => Limit) {
  const countRejected = 'always';
  const key = `${limitOf.name} ${thenMs}`;
  const checks = [
    fixture.check(limitOf({ limit: 10, window: '60s', countRejected }), { name: 'ten', key }),
    fixture.check(limitOf({ limit: 1, window: '3s', countRejected }), { name: 'apart', key }),
  ];
  const startMs = fixture.clock.now();
  for (let ms = 0; ms <= 50_000; ms += 500) {
    assert.equal((await fixture.consume(checks)).allowed, ms === 0, `after ${ms} ms`);
    if (ms < 50_000) fixture.clock.advance(500);
  }
  fixture.clock.advance(startMs + thenMs - fixture.clock.now());
  return (await fixture.consume(checks)).allowed;
}

/** Refusals that count. */
export const refusalRules: Rules = {
  'keeps refusing a key that used up its limit and keeps asking, at any rate': exactly(async (fixture) => {
    for (const [name, limit] of STRICT.filter(([, limit]) => fixture.takes(limit))) {
      // Less often than sub-windows begin, more often, and so often that some get several.
      for (const everyMs of [90, 20, 7]) {
        const check = fixture.check(limit, { name, key: `every ${everyMs} ms` });
        assert.equal((await fixture.consume({ ...check, cost: 10 })).allowed, true);
        // After a window, nothing but refusals counts, and all goes on as before.
        for (let ms = everyMs; ms < 1500; ms += everyMs) {
          fixture.clock.advance(everyMs);
          assert.equal(
            (await fixture.consume(check)).allowed,
            false,
            `${name}, asked every ${everyMs} ms, after ${ms} ms`,
          );
        }
      }
    }
  }),

  'counts refusals by the millisecond: with ten a minute, a key is admitted again when its tenth newest request is a minute old':
    exactly(async (fixture) => {
      for (const limitOf of [slidingWindowLog, slidingWindow]) {
        if (!fixture.takes(limitOf(TEN))) continue;
        assert.equal(await isAdmittedAt(105_499, fixture, limitOf), false);
        assert.equal(await isAdmittedAt(105_500, fixture, limitOf), true);
      }
    }),
};
