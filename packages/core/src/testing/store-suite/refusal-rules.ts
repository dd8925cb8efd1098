import assert from 'node:assert/strict';
import { tokenBucket } from '../../algorithms/buckets/token.js';
import { slidingWindowLog } from '../../algorithms/sliding/log.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { slidingWindowCounter } from '../../algorithms/sliding-window-counter.js';
import type { WindowOptions } from '../../algorithms/window.js';
import type { Limit } from '../../values/limit.js';
import { type Bench, exactly, type Rules } from './bench.js';

const TEN = { limit: 10, window: '1s', countRejected: 'always' } as const;

/** Ten a second, where what is refused counts for good. */
const STRICT: readonly (readonly [name: string, limit: Limit])[] = [
  ['a sliding window', slidingWindow(TEN)],
  ['a sliding window of few parts', slidingWindow({ ...TEN, buckets: 3 })],
  ['a sliding window log', slidingWindowLog(TEN)],
  ['a sliding window counter', slidingWindowCounter(TEN)],
  ['a token bucket', tokenBucket({ capacity: 10, refillRate: 10, countRejected: 'always' })],
];

/** When somebody is let in who asks twice a second for 50 s and then not until `thenMs`. */
async function isAdmittedAt(thenMs: number, bench: Bench, limitOf: (options: WindowOptions) => Limit) {
  const countRejected = 'always';
  const key = `${limitOf.name} ${thenMs}`;
  const checks = [
    bench.check(limitOf({ limit: 10, window: '60s', countRejected }), { name: 'ten', key }),
    bench.check(limitOf({ limit: 1, window: '3s', countRejected }), { name: 'apart', key }),
  ];
  const startMs = bench.clock.now();
  for (let ms = 0; ms <= 50_000; ms += 500) {
    assert.equal((await bench.consume(checks)).allowed, ms === 0, `after ${ms} ms`);
    if (ms < 50_000) bench.clock.advance(500);
  }
  bench.clock.advance(startMs + thenMs - bench.clock.now());
  return (await bench.consume(checks)).allowed;
}

/** Refusals that count. */
export const refusalRules: Rules = {
  'keeps out who used up a limit and goes on asking for more, however much more': exactly(async (bench) => {
    for (const [name, limit] of STRICT.filter(([, limit]) => bench.takes(limit))) {
      for (const everyMs of [90, 20, 4]) {
        const check = bench.check(limit, { name, key: `every ${everyMs} ms` });
        assert.equal((await bench.consume({ ...check, cost: 10 })).allowed, true);
        for (let ms = everyMs; ms < 2000; ms += everyMs) {
          bench.clock.advance(everyMs);
          assert.equal(
            (await bench.consume(check)).allowed,
            false,
            `${name}, asked every ${everyMs} ms, after ${ms} ms`,
          );
        }
      }
    }
  }),

  'counts what is refused by the millisecond: ten a minute and three seconds apart let a hammerer in again when the tenth newest request is a minute old':
    exactly(async (bench) => {
      for (const limitOf of [slidingWindowLog, slidingWindow]) {
        if (!bench.takes(limitOf(TEN))) continue;
        assert.equal(await isAdmittedAt(105_499, bench, limitOf), false);
        assert.equal(await isAdmittedAt(105_500, bench, limitOf), true);
      }
    }),
};
