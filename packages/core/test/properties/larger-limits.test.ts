import { describe, it } from '@jest/globals';
import type { Limit } from '@sluice/core';
import { ALGORITHM_NAMES, plainLimits, runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { ALL_VERBS, make, steps } from './history.js';
import { inWorld } from './world.js';

/**
 * The same limit with this many more units. A sliding window keeps its sub-window, although a larger quota may make
 * it coarser.
 */
function enlarged(limit: Limit, by: number): Limit {
  const { buckets = Number.POSITIVE_INFINITY, quota } = limit;
  const larger = quota <= buckets ? Math.min(buckets, quota + by) : quota + by;
  return { ...limit, quota: larger, ...(limit.capacity !== undefined && { capacity: larger }) };
}

describe.each(ALGORITHM_NAMES)('%s', (algorithm) => {
  it('admits under a larger limit everything that it admits under a smaller one, now and later', () => {
    const anything = fc.record({
      limit: plainLimits[algorithm],
      script: steps(ALL_VERBS, 25),
      by: fc.integer({ min: 1, max: 20 }),
      cost: fc.integer({ min: 0, max: 8 }),
      waitsMs: fc.array(fc.oneof(fc.nat(50), fc.nat(5000)), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(anything, ({ limit, script, by, cost, waitsMs }) =>
        inWorld((world) => {
          for (const step of script) make(step, limit, world);
          for (const waitMs of [0, ...waitsMs]) {
            world.clock.advance(waitMs);
            const [small, large] = [world.peek(limit, cost), world.peek(enlarged(limit, by), cost)];
            if (small.allowed && !large.allowed) throw new Error(`only the smaller admits ${cost}`);
            if (small.remaining > large.remaining) throw new Error(`${small.remaining} > ${large.remaining}`);
          }
        }),
      ),
      runs(),
    );
  });
});
