import { describe, expect, it } from '@jest/globals';
import { fixedWindow, type Limit, slidingWindow, tokenBucket } from '@sluice/core';
import { ALGORITHM_NAMES, plainLimits, runs, spanMs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { make, steps } from './history.js';
import { inWorld } from './world.js';

describe.each(ALGORITHM_NAMES)('%s', (algorithm) => {
  it('locks no key out after a change for longer than its old window and two new ones', () => {
    const limits = plainLimits[algorithm];
    fc.assert(
      fc.property(limits, limits, steps(['charge'], 15), (before, after, script) =>
        inWorld((world) => {
          for (const step of script) make(step, before, world);
          const { resetAfterMs } = world.peek(after);
          const twoMs = (after.byInterval ? 3 : 2) * spanMs(after);
          const calendarMs = after.calendar || before.calendar ? 3_600_000 : 0;
          if (resetAfterMs === 'never') expect(after.keepForMs).toBeDefined();
          else expect(resetAfterMs).toBeLessThanOrEqual(spanMs(before) + twoMs + calendarMs);
        }),
      ),
      runs(),
    );
  });
});

describe('a change of the numbers of a limit', () => {
  const at = (limit: Limit, units: number, then: Limit): number =>
    inWorld((world) => {
      world.consume(limit, units);
      return world.peek(then).remaining;
    });

  it.each<[string, Limit, number, Limit, number]>([
    [
      'a smaller bucket',
      tokenBucket({ capacity: 10, refillRate: 1 }),
      2,
      tokenBucket({ capacity: 5, refillRate: 1 }),
      5,
    ],
    [
      'a larger bucket',
      tokenBucket({ capacity: 10, refillRate: 1 }),
      8,
      tokenBucket({ capacity: 20, refillRate: 1 }),
      2,
    ],
    ['a larger window', slidingWindow({ limit: 10, window: 1000 }), 8, slidingWindow({ limit: 20, window: 1000 }), 12],
    ['a smaller window', slidingWindow({ limit: 10, window: 1000 }), 8, slidingWindow({ limit: 5, window: 1000 }), 0],
    ['a smaller count', fixedWindow({ limit: 10, window: 1000 }), 8, fixedWindow({ limit: 9, window: 1000 }), 1],
  ])('to %s keeps spent units', (_name, limit, units, then, remaining) => {
    expect(at(limit, units, then)).toBe(remaining);
  });

  it('drops the part of a unit with another period', () =>
    inWorld((world) => {
      const slow = tokenBucket({ capacity: 2, refillRate: 0.1 });
      const fast = tokenBucket({ capacity: 2, refillRate: 1 });
      world.consume(slow, 2);
      world.clock.advance(9000);
      expect(world.adjust(slow, 1)).toBe('applied');
      // 0.9 of a unit less 1, whose 9,000 parts of 10,000 would be nine units in thousandths.
      expect(world.peek(fast)).toMatchObject({ remaining: 0, retryAfterMs: 2000 });
      expect(world.peek(slow)).toMatchObject({ remaining: 0, retryAfterMs: 11_000 });
    }));

  it('counts units in a longer sub-window longer, never shorter', () =>
    inWorld((world) => {
      const fine = slidingWindow({ limit: 4, window: 1000, buckets: 4 });
      const coarse = slidingWindow({ limit: 5, window: 1000, buckets: 4 });
      world.consume(fine, 4);
      expect(world.peek(fine).resetAfterMs).toBe(1000);
      expect(world.peek(coarse)).toMatchObject({ remaining: 1, resetAfterMs: 1249 });
    }));
});

describe('a sliding window whose numbers change', () => {
  it('admits nothing more in the hour after a hundred an hour was a hundred a minute for a while', () =>
    inWorld((world) => {
      const [hourly, minutely] = [3_600_000, 60_000].map((window) => slidingWindow({ limit: 100, window })) as [
        Limit,
        Limit,
      ];
      const all = (limit: Limit): number => {
        let count = 0;
        while (world.consume(limit).allowed) count += 1;
        return count;
      };
      expect(all(hourly)).toBe(100);
      for (let minute = 0; minute < 19; minute += 1) {
        world.clock.advance(63_000);
        all(minutely);
      }
      expect(all(hourly)).toBe(0);
    }));

  const limits = fc
    .record({
      limit: fc.integer({ min: 1, max: 40 }),
      window: fc.integer({ min: 20, max: 20_000 }),
      buckets: fc.integer({ min: 1, max: 20 }),
    })
    .map(slidingWindow);
  const requests = fc.array(
    fc.record({ waitMs: fc.oneof(fc.nat(5), fc.nat(100), fc.nat(2000)), cost: fc.integer({ min: 1, max: 8 }) }),
    { minLength: 1, maxLength: 4 },
  );

  it('admits no more than its limit in any window, including units admitted before', () => {
    const phases = fc.array(fc.record({ limit: limits, requests }), { minLength: 2, maxLength: 6, size: 'max' });
    fc.assert(
      fc.property(phases, (script) =>
        inWorld((world) => {
          const admitted: { atMs: number; cost: number }[] = [];
          // What happened before the longest window by which something was admitted in its time is forgotten.
          let [longestMs, forgottenMs] = [0, 0];
          for (const { limit, requests } of script) {
            const windowMs = spanMs(limit);
            for (const { waitMs, cost } of requests) {
              world.clock.advance(waitMs);
              const nowMs = world.clock.now();
              if (admitted.every(({ atMs }) => atMs <= nowMs - longestMs)) longestMs = 0;
              if (world.consume(limit, cost).allowed) {
                admitted.push({ atMs: nowMs, cost });
                const counted = admitted.filter(({ atMs }) => atMs > Math.max(nowMs - windowMs, forgottenMs));
                expect(counted.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(limit.quota);
                longestMs = Math.max(longestMs, windowMs);
              }
              forgottenMs = Math.max(forgottenMs, nowMs - longestMs);
            }
          }
        }),
      ),
      runs(10),
    );
  });
});
