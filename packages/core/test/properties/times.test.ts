import { describe, expect, it } from '@jest/globals';
import { type Limit, tokenBucket } from '@sluice/core';
import { ALGORITHM_NAMES, runs, spanMs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { ALL_VERBS, make, type Step, steps, unitsOf } from './history.js';
import { inWorld, type World } from './world.js';

/** Whether so many units would be admitted after this time. */
function fitsAfter(ms: number, limit: Limit, units: number, world: World): boolean {
  const nowMs = world.clock.now();
  world.clock.set(nowMs + ms);
  const { allowed } = world.peek(limit, units);
  world.clock.set(nowMs);
  return allowed;
}

describe.each(ALGORITHM_NAMES)('%s', (algorithm) => {
  it('refuses a millisecond before retryAfterMs, and admits after it, also for an allowed verdict', () => {
    const anything = fc.record({
      limit: strictLimits[algorithm],
      script: steps(ALL_VERBS, 20),
      cost: fc.nat(10),
      marginShare: fc.oneof(fc.constant(0), fc.integer({ min: -1000, max: 0 })),
    });
    fc.assert(
      fc.property(anything, ({ limit, script, cost, marginShare }) =>
        inWorld((world) => {
          for (const step of script) make(step, limit, world);
          const asked = limit.algorithm === 'concurrency' ? Math.min(cost, 1) : cost;
          const units = Math.max(1, asked);
          const { retryAfterMs } = world.peek(limit, asked);
          if (retryAfterMs === 'never') {
            expect(fitsAfter(0, limit, units, world)).toBe(false);
            expect(fitsAfter(20 * spanMs(limit), limit, units, world)).toBe(
              limit.keepForMs !== undefined && units <= limit.quota + world.marginOf(limit),
            );
            return;
          }
          expect(fitsAfter(retryAfterMs, limit, units, world)).toBe(true);
          if (retryAfterMs > 0) expect(fitsAfter(retryAfterMs - 1, limit, units, world)).toBe(false);
        }, marginShare),
      ),
      runs(2),
    );
  });

  it('is at its full quota after resetAfterMs, and not a millisecond earlier', () => {
    const anything = fc.record({ limit: strictLimits[algorithm], before: steps(ALL_VERBS, 15), after: steps([], 15) });
    fc.assert(
      fc.property(anything, ({ limit, before, after }) =>
        inWorld((world) => {
          for (const step of before) make(step, limit, world);
          const { resetAfterMs } = world.peek(limit);
          if (resetAfterMs === 'never') return;
          if (resetAfterMs > 0 && limit.algorithm !== 'concurrency') {
            expect(fitsAfter(resetAfterMs - 1, limit, limit.quota, world)).toBe(false);
          }
          // Refusals may be counted for a while after the last admission; only a block can then refuse a key that has all its units.
          if (limit.countRejected === true && limit.blockMs !== undefined) return;
          // And one whose blocks grow remembers how many there were.
          if (limit.blocksMs !== undefined) return;
          world.clock.advance(resetAfterMs);
          expect(answers(limit, after, world, 'ann')).toEqual(answers(limit, after, world, 'new here'));
        }),
      ),
      runs(),
    );
  });

  it('returns the remaining units after spending', () => {
    fc.assert(
      fc.property(strictLimits[algorithm], steps(['charge', 'refund'], 20), (limit, script) =>
        inWorld((world) => {
          for (const step of script) {
            make(step, limit, world);
            const units = unitsOf(step, limit);
            const { allowed, delayMs, ...left } = world.consume(limit, units);
            const { allowed: _, delayMs: __, ...seen } = world.peek(limit, units);
            expect(left).toEqual(seen);
          }
        }),
      ),
      runs(0.5),
    );
  });
});

/** The answers to the same requests at the same times, and the clock back where it was. */
function answers(limit: Limit, script: readonly Step[], world: World, key: string): unknown[] {
  const startMs = world.clock.now();
  const verdicts = script.map((step) => {
    const units = unitsOf(step, limit);
    world.clock.advance(Math.floor((spanMs(limit) * step.wait.share) / 1000));
    return world.ask([world.check(limit, units, { key })]).verdicts;
  });
  world.clock.set(startMs);
  return verdicts;
}

describe('a bucket that never refills', () => {
  it('starts full again if a key was not used for as long as keepFor', () => {
    const anything = fc.record({
      capacity: fc.integer({ min: 1, max: 9 }),
      keepFor: fc.integer({ min: 1, max: 5000 }),
    });
    fc.assert(
      fc.property(anything, ({ capacity, keepFor }) =>
        inWorld((world) => {
          const limit = tokenBucket({ capacity, refillRate: 0, keepFor });
          expect(world.consume(limit, capacity)).toMatchObject({ allowed: true, resetAfterMs: 'never' });
          expect(fitsAfter(keepFor - 1, limit, 1, world)).toBe(false);
          expect(fitsAfter(keepFor, limit, capacity, world)).toBe(true);
        }),
      ),
      runs(),
    );
  });
});
