import { describe, expect, it } from '@jest/globals';
import { boundOf, type Limit } from '@sluice/core';
import { ALGORITHM_NAMES, plainLimits, runs, spanMs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { longestBlockMs } from '../../src/values/block-growth.js';
import { ALL_VERBS, make, type Step, steps, unitsOf } from './history.js';
import { inWorld, type World } from './world.js';

/** How wrong the clock is for a moment: a little, some spans, or years. */
const offMs = fc.oneof(
  fc.integer({ min: -2000, max: 2000 }),
  fc.integer({ min: -200_000, max: 200_000 }),
  fc.constantFrom(-3e11, 3e11),
);

/**
 * The longest lock-out: two windows or fill times, and a sub-window. The longest unit of a calendar is a little
 * longer than its name says.
 */
function longestMs(limit: Limit): number {
  const { calendar, byInterval, refillUnits, refillPeriodMs, quota } = limit;
  const oneMs = calendar ? spanMs(limit) + 3_600_000 : spanMs(limit);
  const debtMs = byInterval ? Math.ceil((2 * quota) / (refillUnits as number)) * (refillPeriodMs as number) : 2 * oneMs;
  // While an admission counts, the beginning of a block is not known.
  const blockedMs = longestBlockMs(limit) + (limit.countRejected === true ? oneMs : 0);
  return Math.max(debtMs, 2 * oneMs, blockedMs);
}

/**
 * The end of a sub-window goes back to another end of a sub-window. So it goes back by up to a sub-window more than
 * the clock.
 */
function subWindowMs({ buckets, windowMs }: Limit): number {
  return buckets === undefined ? 1 : Math.ceil((windowMs as number) / buckets);
}

function play(script: readonly Step[], limit: Limit, world: World): void {
  for (const step of script) make(step, limit, world);
}

describe.each(ALGORITHM_NAMES)('%s', (algorithm) => {
  it('locks no key out for longer than two windows, however wrong the clock was', () => {
    const anything = fc.record({
      limit: strictLimits[algorithm],
      before: steps(ALL_VERBS, 8),
      off: steps(ALL_VERBS, 8),
      offMs,
    });
    fc.assert(
      fc.property(anything, ({ limit, before, off, offMs }) =>
        inWorld((world) => {
          play(before, limit, world);
          const nowMs = world.clock.now();
          world.clock.set(nowMs + offMs);
          play(off, limit, world);
          world.clock.set(nowMs);
          for (const ask of [() => world.peek(limit), () => world.consume(limit)]) {
            const { resetAfterMs } = ask();
            if (resetAfterMs !== 'never') expect(resetAfterMs).toBeLessThanOrEqual(longestMs(limit));
          }
        }),
      ),
      runs(),
    );
  });

  // The windows of the counter follow the clock. The weight of the previous window depends on the position in the
  // window that the clock returns to.
  if (algorithm !== 'sliding-window-counter') {
    it('grants nothing when it is corrected: a step back never makes room', () => {
      const anything = fc.record({
        limit: plainLimits[algorithm],
        script: steps(['charge', 'refund'], 20),
        backMs: offMs,
      });
      fc.assert(
        fc.property(anything, ({ limit, script, backMs }) =>
          inWorld((world) => {
            play(script, limit, world);
            const nowMs = world.clock.now();
            world.clock.set(nowMs + subWindowMs(limit) - 1);
            const { remaining } = world.peek(limit);
            world.clock.set(nowMs - Math.abs(backMs));
            expect(world.peek(limit).remaining).toBeLessThanOrEqual(remaining);
            world.consume(limit, limit.quota + 1);
            expect(world.peek(limit).remaining).toBeLessThanOrEqual(remaining);
          }),
        ),
        runs(),
      );
    });
  }

  it('is corrected in the state even by a refused request, so that the lock-out ends', () => {
    const anything = fc.record({
      limit: plainLimits[algorithm],
      off: steps(['charge'], 8),
      offMs: fc.integer({ min: 1, max: 1e9 }),
    });
    fc.assert(
      fc.property(anything, ({ limit, off, offMs }) =>
        inWorld((world) => {
          const nowMs = world.clock.now();
          world.clock.set(nowMs + offMs);
          play(off, limit, world);
          world.clock.set(nowMs);
          const { resetAfterMs, allowed } = world.consume(limit);
          if (allowed || resetAfterMs === 'never') return;
          world.clock.advance(resetAfterMs);
          expect(world.peek(limit)).toMatchObject({ remaining: limit.quota, resetAfterMs: 0 });
        }),
      ),
      runs(),
    );
  });

  if (algorithm !== 'concurrency') {
    it('admits at most one more bound for each time that the clock was wrong', () => {
      const anything = fc.record({
        limit: plainLimits[algorithm],
        scripts: fc.array(steps([], 12), { minLength: 3, maxLength: 3 }),
        offMs,
      });
      fc.assert(
        fc.property(anything, ({ limit, scripts, offMs }) =>
          inWorld((world) => {
            const startMs = world.clock.now();
            let units = 0;
            let [cost, trueMs] = [1, 0];
            for (const [i, script] of scripts.entries()) {
              // The middle step happens within a moment of true time.
              const atMs = world.clock.now();
              if (i === 1) world.clock.set(atMs + offMs);
              for (const step of script) {
                if (i !== 1) world.clock.advance(Math.floor((spanMs(limit) * step.wait.share) / 4000));
                const asked = unitsOf(step, limit);
                if (world.consume(limit, asked).allowed) units += asked;
                cost = Math.max(cost, asked);
              }
              if (i === 1) world.clock.set(atMs);
              trueMs = world.clock.now() - startMs + 1;
            }
            // A queue admits its capacity before the first request leaves.
            const queued = limit.algorithm === 'leaky-bucket' ? limit.quota : 0;
            expect(units).toBeLessThanOrEqual(3 * (boundOf(limit, trueMs, { cost }) + queued));
          }),
        ),
        runs(),
      );
    });
  }
});
