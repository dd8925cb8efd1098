import { describe, expect, it } from '@jest/globals';
import { boundOf, type Limit } from '@sluice/core';
import { ALGORITHM_NAMES, runs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { type Admission, ALL_VERBS, emptyHistory, type History, make, type Step, steps } from './history.js';
import { inWorld } from './world.js';

/** Units by the time at which they pass. In a leaky bucket, that is when they leave. */
interface Passing {
  readonly atMs: number;
  readonly units: number;
}

function passings(limit: Limit, admitted: readonly Admission[]): Passing[] {
  const isBucket = limit.algorithm === 'token-bucket' || limit.algorithm === 'leaky-bucket';
  return admitted
    .map(({ atMs, delayMs, cost, units }) => ({ atMs: atMs + delayMs, units: isBucket ? cost : units }))
    .sort((a, b) => a.atMs - b.atMs);
}

/** Compares every window that begins and ends with a passing unit with the bound of its length. */
function holdToBound(limit: Limit, { admitted, givenBack }: History, margin = 0): void {
  const all = passings(limit, admitted);
  const cost = Math.max(1, ...admitted.map((admission) => admission.cost));
  for (const [i, first] of all.entries()) {
    let units = 0;
    for (const last of all.slice(i)) {
      units += last.units;
      const returned = limit.algorithm === 'token-bucket' ? sumBetween(givenBack, first.atMs, last.atMs) : 0;
      const bound = boundOf(limit, last.atMs - first.atMs + 1, { cost, margin }) + returned;
      if (units > bound) throw new Error(`${units} units from ${first.atMs} to ${last.atMs}, the bound is ${bound}`);
    }
  }
}

function sumBetween(passed: readonly Passing[], fromMs: number, toMs: number): number {
  return passed.filter(({ atMs }) => fromMs <= atMs && atMs <= toMs).reduce((sum, { units }) => sum + units, 0);
}

function played(limit: Limit, script: readonly Step[], marginShare = 0): History {
  return inWorld((world) => {
    const history = emptyHistory();
    for (const step of script) make(step, limit, world, history);
    return history;
  }, marginShare);
}

const GREEDY = fc.array(fc.nat(1200), { minLength: 20, maxLength: 60 }).map((shares) =>
  shares.map((share): Step => {
    const cost = share % 3 === 0 ? { units: 1 } : { share };
    return { verb: 'consume', wait: { until: 'retry', share: 0, plusMs: 0 }, cost, pick: 0 };
  }),
);

describe.each(ALGORITHM_NAMES.filter((name) => name !== 'concurrency'))('%s', (algorithm) => {
  it('admits no more than its bound in any window, whatever is asked, charged and given back', () => {
    const scripts = fc.oneof(steps(['peek', 'charge', 'refund']), steps(ALL_VERBS));
    fc.assert(
      fc.property(strictLimits[algorithm], scripts, (limit, script) => holdToBound(limit, played(limit, script))),
      runs(2),
    );
  });

  it('admits no more than its bound if every request comes as early as allowed', () => {
    fc.assert(
      fc.property(strictLimits[algorithm], GREEDY, (limit, script) => holdToBound(limit, played(limit, script))),
      runs(0.5),
    );
  });

  it('admits no more than the bound of its margin, whatever part of the limit that is', () => {
    const scripts = fc.oneof(steps(['peek', 'charge', 'refund']), GREEDY);
    fc.assert(
      fc.property(strictLimits[algorithm], scripts, fc.integer({ min: -1000, max: 1000 }), (limit, script, share) =>
        holdToBound(limit, played(limit, script, share), Math.floor((limit.quota * share) / 1000)),
      ),
      runs(1),
    );
  });
});

describe('concurrency', () => {
  const command = fc.record({
    verb: fc.constantFrom('take', 'take', 'take', 'renew', 'release'),
    waitMs: fc.oneof(fc.constant(0), fc.nat(2500)),
    pick: fc.nat(30),
  });

  it('never has more slots held at once than its limit, renewed or not', () => {
    fc.assert(
      fc.property(strictLimits.concurrency, fc.array(command, { maxLength: 60, size: 'max' }), (limit, commands) =>
        inWorld((world) => {
          const endsMs = new Map<string, number>();
          for (const { verb, waitMs, pick } of commands) {
            world.clock.advance(waitMs);
            const nowMs = world.clock.now();
            const id = (verb !== 'take' && [...endsMs.keys()][pick % endsMs.size]) || world.newId();
            if (verb === 'release') {
              const isHeld = (endsMs.get(id) ?? 0) > nowMs;
              expect(world.adjust(limit, -1, { id })).toBe(isHeld ? 'applied' : 'expired');
              endsMs.delete(id);
            } else {
              const renew = verb === 'renew' ? ({ renew: true } as const) : {};
              const { allowed } = world.store.consume({ checks: [world.check(limit)], id, ...renew });
              if (allowed) endsMs.set(id, nowMs + (limit.leaseMs as number));
            }
            const held = [...endsMs.values()].filter((endMs) => endMs > nowMs).length;
            expect(held).toBeLessThanOrEqual(boundOf(limit, '1d'));
            expect(world.peek(limit).remaining).toBe(limit.quota - held);
          }
        }),
      ),
      runs(2),
    );
  });
});
