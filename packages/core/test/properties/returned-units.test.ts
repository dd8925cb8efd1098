import { expect, it } from '@jest/globals';
import { boundOf, type Limit } from '@sluice/core';
import { plainLimits, runs, spanMs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { takesBack } from '../../src/algorithms/returns.js';
import { inWorld } from './world.js';

/** Somebody takes units, uses some of them at once, and gives the others back later; or one who has some gives them back. */
interface Step {
  readonly verb: 'take' | 'give back';
  readonly waitShare: number;
  readonly waitMs: number;
  readonly share: number;
  readonly usedShare: number;
  readonly pick: number;
}

interface Taken {
  readonly atMs: number;
  readonly used: number;
  readonly left: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom('take', 'take', 'give back'),
  waitShare: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(60), fc.nat(1100)),
  waitMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(5)),
  share: fc.oneof(fc.constant(1000), fc.nat(600)),
  usedShare: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.constant(1000), fc.nat(1000)),
  pick: fc.nat(20),
});

/** Plays steps, and at last takes all that is left. Returns what was used, by its time. */
function played(limit: Limit, steps: readonly Step[]): Taken[] {
  return inWorld((world) => {
    const all: Taken[] = [];
    const out: Taken[] = [];
    const take = (units: number, used: number): void => {
      const { atMs, allowed } = world.ask([world.check(limit, units)]);
      if (!allowed) return;
      const taken = { atMs, used, left: units - used };
      all.push(taken);
      if (taken.left > 0) out.push(taken);
    };
    for (const { verb, waitShare, waitMs, share, usedShare, pick } of steps) {
      world.clock.advance(Math.floor((spanMs(limit) * waitShare) / 1000) + waitMs);
      const units = Math.ceil((limit.quota * share) / 1000);
      if (verb === 'take' && units > 0) take(units, Math.floor((units * usedShare) / 1000));
      if (verb === 'give back' && out.length > 0) {
        const [{ atMs, left }] = out.splice(pick % out.length, 1) as [Taken];
        world.store.adjust({ checks: [world.check(limit, -left)], atMs, unspent: true });
      }
    }
    // Whoever still holds units may use them at any time.
    const held = out.map((taken) => ({ ...taken, used: taken.used + taken.left, left: 0 }));
    const others = all.filter((taken) => !out.includes(taken));
    all.splice(0, all.length, ...others, ...held);
    const { remaining } = world.peek(limit);
    if (remaining > 0) take(remaining, remaining);
    return all.sort((one, other) => one.atMs - other.atMs);
  });
}

function mostAboveBound(limit: Limit, taken: readonly Taken[]): number {
  let most = 0;
  for (const [i, first] of taken.entries()) {
    let units = 0;
    for (const last of taken.slice(i)) {
      units += last.used;
      most = Math.max(most, units - boundOf(limit, last.atMs - first.atMs + 1));
    }
  }
  return most;
}

it.each(
  Object.entries(plainLimits).filter(([algorithm]) => takesBack({ algorithm } as Limit) && algorithm !== 'concurrency'),
)(
  '%s: what is used stays within the bound, in whatever order unused units are taken and come back',
  (_name, limits) => {
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 40, size: 'max' }), (limit, steps) => {
        expect(mostAboveBound(limit, played(limit, steps))).toBe(0);
      }),
      runs(4),
    );
  },
);
