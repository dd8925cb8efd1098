import { fixedWindow, slidingWindow, slidingWindowCounter, slidingWindowLog, tokenBucket } from '@sluice/core';
import * as assert from '../assert.js';
import { exactly, type Rules } from './store-fixture.js';

const WINDOW = { limit: 5, window: '10m' } as const;

/** Limits whose units come back to where they were charged, and how much later another charge is certainly elsewhere. */
const TIED = [
  ['a sliding window', slidingWindow(WINDOW), 1],
  ['a sliding window with sub-windows', slidingWindow({ ...WINDOW, buckets: 4 }), 150_000],
  ['a sliding window log', slidingWindowLog(WINDOW), 1],
  ['a sliding window counter', slidingWindowCounter(WINDOW), 600_000],
  ['a fixed window', fixedWindow(WINDOW), 600_000],
] as const;

/** What may come back of a charge, how much, and until when: the table `RETURNS`. */
export const returnRules: Rules = {
  'gives back to a bucket, of units that nobody used, what has not refilled since their charge': exactly(
    async (fixture) => {
      const bucket = fixture.check(tokenBucket({ capacity: 10, refillRate: 1 }));
      const { atMs } = await fixture.consume({ ...bucket, cost: 8 });
      fixture.clock.advance(2500);
      assert.equal(await fixture.remaining(bucket), 4);
      const back = { ...bucket, cost: -5 };
      assert.equal(await fixture.adjust(back, { atMs, unspent: true, id: 'a' }), 'applied');
      assert.equal(await fixture.remaining(bucket), 7, '4.5 and 5 less 2.5');
      assert.equal(await fixture.adjust(back, { atMs, unspent: true, id: 'a' }), 'repeated');
      fixture.clock.advance(2500);
      assert.equal(await fixture.adjust(back, { atMs, unspent: true, id: 'b' }), 'expired', 'all 5 have refilled');
      assert.equal(await fixture.remaining(bucket), 9);
    },
  ),

  async 'remembers a return of units that nobody used until it is too late for it, and no longer'(fixture) {
    const check = fixture.check(slidingWindow(WINDOW), { cost: 5 });
    const { atMs } = await fixture.consume(check);
    const one = { ...check, cost: -1 };
    const unspent = { atMs, unspent: true, notAfterMs: atMs + 1000 } as const;
    const changes = [
      { ...unspent, id: 'short' },
      { ...unspent, id: 'kept', keptUntilMs: atMs + 2000 },
    ];
    for (const change of changes) assert.equal(await fixture.adjust(one, change), 'applied');
    fixture.clock.advance(1000);
    for (const change of changes) assert.equal(await fixture.adjust(one, change), 'repeated');
    fixture.clock.advance(1);
    for (const change of changes) assert.equal(await fixture.adjust(one, change), 'expired');
    assert.equal(await fixture.remaining(check), 2);
    // A change that is never too late shows whether the id is still remembered.
    assert.equal(await fixture.adjust(one, { atMs, id: 'kept' }), 'repeated');
    assert.equal(await fixture.adjust(one, { atMs, id: 'short' }), 'applied');
  },

  'counts the ends of intervals as refill, of units that nobody used': exactly(async (fixture) => {
    const bucket = fixture.check(tokenBucket({ capacity: 10, refillRate: 3, refillInterval: '1s' }));
    const { atMs } = await fixture.consume({ ...bucket, cost: 9 });
    fixture.clock.advance(999);
    assert.equal(await fixture.adjust({ ...bucket, cost: -2 }, { atMs, unspent: true }), 'applied');
    assert.equal(await fixture.remaining(bucket), 3, 'no interval has ended');
    fixture.clock.advance(1);
    assert.equal(await fixture.adjust({ ...bucket, cost: -4 }, { atMs, unspent: true }), 'applied');
    assert.equal(await fixture.remaining(bucket), 7, '3 and 3, and 4 less 3');
    assert.equal(await fixture.adjust({ ...bucket, cost: -3 }, { atMs, unspent: true }), 'expired');
  }),

  'keeps a bucket within its capacity over a chain of overlapping charges that come back unused': exactly(
    async (fixture) => {
      const bucket = fixture.check(tokenBucket({ capacity: 190, refillRate: 10 }), { cost: 80 });
      const out: number[] = [];
      for (let turn = 0; turn < 60; turn += 1) {
        const { atMs, allowed } = await fixture.consume(bucket);
        if (allowed) out.push(atMs);
        if (out.length > 1) {
          const change = { atMs: out.shift() as number, unspent: true, id: `return ${turn}` } as const;
          await fixture.adjust({ ...bucket, cost: -80 }, change);
        }
        fixture.clock.advance(900);
      }
      assert.equal(out.length, 1);
      const left = await fixture.remaining(bucket);
      assert.ok(left + 80 <= 190 + 9, `${left} are left while 80 are out for 900 ms, of a bucket of 190`);
    },
  ),

  'gives nothing back in place of units that a refund has taken': exactly(async (fixture) => {
    for (const [name, limit, laterMs] of TIED.filter(([, one]) => fixture.takes(one))) {
      const check = fixture.check(limit, { name });
      const { atMs } = await fixture.consume(check);
      assert.equal(await fixture.adjust({ ...check, cost: -1 }), 'applied', name);
      fixture.clock.advance(laterMs);
      await fixture.consume({ ...check, cost: 5 });
      assert.equal(await fixture.adjust({ ...check, cost: -1 }, { atMs, id: name }), 'expired', name);
      assert.equal(await fixture.remaining(check), 0, name);
    }
  }),

  'gives nothing back to a new state of a bucket that never refills': exactly(async (fixture) => {
    const bucket = fixture.check(tokenBucket({ capacity: 5, refillRate: 0, keepFor: '20s' }));
    const first = await fixture.consume({ ...bucket, cost: 3 });
    fixture.clock.advance(19_999);
    assert.equal(await fixture.adjust({ ...bucket, cost: -1 }, { atMs: first.atMs }), 'applied');
    fixture.clock.advance(20_000);
    await fixture.consume({ ...bucket, cost: 2 });
    for (const own of [{}, { unspent: true }] as const) {
      assert.equal(await fixture.adjust({ ...bucket, cost: -2 }, { atMs: first.atMs, ...own }), 'expired');
    }
    assert.equal(await fixture.remaining(bucket), 3);
  }),
};
