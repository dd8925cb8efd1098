import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BucketState } from '../../../../src/algorithms/arithmetic/bucket.js';
import { fresh, type SlidingLimit, spend } from '../../../../src/algorithms/arithmetic/sliding-window.js';
import { bucketLayout } from '../../../../src/algorithms/buckets/state.js';
import type { Layout } from '../../../../src/algorithms/kernel.js';
import type { KeyState } from '../../../../src/algorithms/key-state.js';
import { slidingLayout } from '../../../../src/algorithms/sliding/state.js';
import { slidingWindow } from '../../../../src/algorithms/sliding/window.js';
import { Rows } from '../../../../src/stores/memory/table/rows.js';
import { StateCodec } from '../../../../src/stores/memory/table/state-codec.js';

/** A state that is any list of numbers. */
interface Numbers {
  list: number[];
}

const layout: Layout<Numbers> = {
  length: ({ list }) => list.length,

  read(state, numbers, from, length) {
    state.list = [...numbers.subarray(from, from + length)];
  },

  write({ list }, numbers, from) {
    numbers.set(list, from);
  },
};

const keyState: fc.Arbitrary<KeyState> = fc.record({
  state: fc.record({
    list: fc.array(fc.double({ noNaN: true }), { maxLength: 110, size: 'max' }),
  }),
  blockEndsMs: fc.constantFrom(0, 0, 1_700_000_000_000),
  admittedMs: fc.constantFrom(-1, -1, 0, 1_700_000_000_000),
  strikes: fc.constantFrom(0, 0, 1, 10_000),
  heldUntilMs: fc.constant(0),
});

const steps = fc.array(
  fc.record({ verb: fc.constantFrom('take', 'write', 'write', 'release'), pick: fc.nat(1000), keyState }),
  { maxLength: 60, size: 'max' },
);

describe('Key states in rows', () => {
  it('are read as they were written, whatever their length and whatever happens to others', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const rows = new Rows();
        const codec = new StateCodec(rows);
        const known = new Map<number, KeyState>();
        for (const { verb, pick, keyState } of script) {
          const row = verb === 'take' ? rows.take(1, 1) : [...known.keys()][pick % known.size];
          if (row === undefined) continue;
          if (verb === 'release') {
            codec.release(row);
            expect(rows.object(row)).toBeUndefined();
            rows.release(row);
            known.delete(row);
          } else {
            codec.write(rows.page(row), row, layout, structuredClone(keyState));
            known.set(row, keyState);
          }
          for (const [row, expected] of known) {
            const scratch: KeyState = {
              state: { list: [] },
              blockEndsMs: 0,
              admittedMs: -1,
              strikes: 0,
              heldUntilMs: 0,
            };
            const { blockEndsMs, strikes } = expected;
            expect(codec.head(rows.page(row), row)).toMatchObject({ blockEndsMs, strikes });
            expect(codec.read(rows.page(row), row, layout, scratch)).toMatchObject(expected);
          }
        }
      }),
    );
  });

  it.each([[[7]], [[1, 2, 3, 4, 5]]])('are read anew after their block was lifted, and keep the numbers %p', (list) => {
    const rows = new Rows();
    const codec = new StateCodec(rows);
    const row = rows.take(1, 1);
    const page = rows.page(row);
    const blocked = { state: { list }, blockEndsMs: 1000, admittedMs: 5, strikes: 0, heldUntilMs: 0 };
    codec.write(page, row, layout, structuredClone(blocked));
    const scratch: KeyState = { state: { list: [] }, blockEndsMs: 0, admittedMs: -1, strikes: 0, heldUntilMs: 0 };
    expect(codec.read(page, row, layout, scratch)).toMatchObject(blocked);
    codec.lift(page, row);
    expect(codec.read(page, row, layout, scratch)).toMatchObject({ ...blocked, blockEndsMs: 0 });
  });

  it('stay objects if a state is no list of numbers, and report it once', () => {
    const rows = new Rows();
    const codec = new StateCodec(rows);
    const row = rows.take(1, 1);
    const slots: KeyState = { state: { slots: new Map() }, blockEndsMs: 0, admittedMs: -1, strikes: 0, heldUntilMs: 0 };
    expect(codec.write(rows.page(row), row, undefined, slots)).toBe(true);
    expect(codec.write(rows.page(row), row, undefined, slots)).toBe(false);
    expect(codec.read(rows.page(row), row, undefined, { ...slots })).toBe(slots);
  });
});

describe('The numbers of a bucket', () => {
  it('hold its level and its part exactly, for every bucket that a limit allows', () => {
    const measures = fc.oneof(fc.constantFrom(1, 2, 3, 1000, 1e9, 3e12), fc.integer({ min: 1, max: 1e9 }));
    const states = measures.chain((m) => {
      const most = Math.floor(Number.MAX_SAFE_INTEGER / 2 / m);
      return fc.record({
        level: fc.oneof(fc.constantFrom(most, -most, 0), fc.integer({ min: -most, max: most })),
        part: fc.oneof(fc.constantFrom(0, m - 1), fc.integer({ min: 0, max: m - 1 })),
        refillUnits: fc.oneof(fc.constantFrom(-1, 0, 1, 2 ** 22, 1e12 - 2), fc.nat()),
        refillPeriodMs: fc.constant(m),
        capacity: fc.oneof(fc.constantFrom(0, 1, 2 ** 20, 2 ** 31 - 1), fc.nat()),
        timeMs: fc.nat(),
      });
    });
    fc.assert(
      fc.property(states, (state) => {
        const numbers = new Float64Array(6);
        bucketLayout.write(state, numbers, 1, false);
        const read: BucketState = { level: 1, part: 1, refillUnits: 1, refillPeriodMs: 1, capacity: 1, timeMs: 1 };
        bucketLayout.read(read, numbers, 1, bucketLayout.length(state));
        expect(read).toEqual(state);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('The numbers of a sliding window', () => {
  it('are written, where they were read, from the first entry on that a decision has changed', () => {
    const limit = slidingWindow({ limit: 1000, window: '1m' }) as SlidingLimit;
    const state = fresh(limit);
    spend(state, limit, 1, 0);
    spend(state, limit, 1, 30_000);
    const numbers = new Float64Array(slidingLayout.length(state));
    slidingLayout.write(state, numbers, 0, false);
    expect([...numbers.subarray(1)]).toEqual([2999, 1, 32_999, 1]);
    const read = fresh(limit);
    slidingLayout.read(read, numbers, 0, numbers.length);
    spend(read, limit, 1, 30_001);
    numbers.fill(Number.NaN, 1);
    slidingLayout.write(read, numbers, 0, true);
    expect([...numbers.subarray(1)]).toEqual([Number.NaN, Number.NaN, 32_999, 2]);
  });
});
