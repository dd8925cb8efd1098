import { expect, it } from '@jest/globals';
import { boundOf, type Limit, type StoreResponse } from '@sluice/core';
import { LeasedStore } from '@sluice/core/distributed';
import { definitionOf } from '@sluice/core/src/algorithms/definitions';
import { plainLimits, runs, spanMs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { check, SharedStore } from './shared-store.js';

const LEASE_MS = 20;

/** The next event, and the holder that it happens to. */
interface Step {
  readonly verb: 'ask' | 'ask' | 'close' | 'crash';
  readonly holder: number;
  /** Thousandths of the limit's span, and milliseconds in addition. */
  readonly waitShare: number;
  readonly waitMs: number;
  /** The number of requests that come at once. */
  readonly callers: number;
  readonly cost: number;
  /** How long the reply takes on its way back. */
  readonly delayMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.oneof(
    { weight: 12, arbitrary: fc.constant('ask' as const) },
    fc.constantFrom('close' as const, 'crash' as const),
  ),
  holder: fc.nat(2),
  waitShare: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(1000, 500, 50), fc.nat(1100)),
  waitMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    fc.constantFrom(1, LEASE_MS - 1, LEASE_MS),
    fc.nat(2 * LEASE_MS),
  ),
  callers: fc.integer({ min: 1, max: 5 }),
  cost: fc.integer({ min: 1, max: 3 }),
  delayMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3 * LEASE_MS)),
});

interface Admission {
  readonly atMs: number;
  readonly units: number;
}

const leasable = fc
  .oneof(
    plainLimits['sliding-window'],
    plainLimits['sliding-window-log'],
    plainLimits['fixed-window'],
    plainLimits['token-bucket'],
  )
  .filter((limit) => !limit.calendar && definitionOf(limit).lease?.stricter(limit, LEASE_MS) !== undefined);

/** Several holders of one allowance. Some of them close, and some die with the units that they hold. */
async function played(limit: Limit, steps: readonly Step[]): Promise<Admission[]> {
  const shared = new SharedStore();
  const { clock } = shared;
  let made = 0;
  const newHolder = (): LeasedStore => {
    made += 1;
    // Some ask about the first requests of a key alone.
    return new LeasedStore({ busyFrom: 1 + (made % 3), store: shared, lease: LEASE_MS });
  };
  const holders = [newHolder(), newHolder(), newHolder()];
  const admitted: Admission[] = [];
  for (const { verb, holder, waitShare, waitMs, callers, cost, delayMs } of steps) {
    clock.advance(Math.floor((spanMs(limit) * waitShare) / 1000) + waitMs);
    shared.back = async () => clock.advance(delayMs);
    const store = holders[holder] as LeasedStore;
    if (verb === 'close') await store.close();
    if (verb !== 'ask') holders[holder] = newHolder();
    else {
      const ask = async (): Promise<void> => {
        const reply = await store.consume({ checks: [check(limit, { cost })] });
        if (reply.allowed) admitted.push({ atMs: Math.min(clock.now(), lastMoment(limit, reply)), units: cost });
      };
      await Promise.all(Array.from({ length: callers }, ask));
    }
  }
  await Promise.all(holders.map((store) => store.close()));
  return admitted.sort((a, b) => a.atMs - b.atMs);
}

/** A request that the store charged itself is admitted in time, however long the reply takes. */
function lastMoment(limit: Limit, { atMs, verdicts }: StoreResponse): number {
  const resetAfterMs = limit.algorithm === 'fixed-window' ? (verdicts[0]?.resetAfterMs as number) - 1 : LEASE_MS;
  return atMs + Math.min(LEASE_MS, resetAfterMs);
}

/** By how many units the worst window exceeds the bound of the limit. */
function mostAboveBound(limit: Limit, admitted: readonly Admission[]): number {
  let most = 0;
  for (const [i, first] of admitted.entries()) {
    let units = 0;
    for (const last of admitted.slice(i)) {
      units += last.units;
      most = Math.max(most, units - boundOf(limit, last.atMs - first.atMs + 1));
    }
  }
  return most;
}

it('Several holders together never exceed the bound of the limit, whichever of them closes or dies', async () => {
  await fc.assert(
    fc.asyncProperty(leasable, fc.array(step, { maxLength: 60, size: 'max' }), async (limit, steps) => {
      expect(mostAboveBound(limit, await played(limit, steps))).toBe(0);
    }),
    runs(4),
  );
});

it('Dead holders leave the whole limit to the others when their leases have expired', async () => {
  await fc.assert(
    fc.asyncProperty(leasable, fc.array(step, { maxLength: 30, size: 'max' }), async (limit, steps) => {
      const shared = new SharedStore();
      const store = new LeasedStore({ busyFrom: 1, store: shared, lease: LEASE_MS });
      for (const { cost } of steps) await store.consume({ checks: [check(limit, { cost })] });
      await store.close();
      const peek = async (key: string) => {
        const viewer = new LeasedStore({ busyFrom: 1, store: shared, lease: LEASE_MS });
        return (await viewer.consume({ checks: [check(limit, { key })], peek: true })).verdicts[0];
      };
      const resetAfterMs = (await peek('ann'))?.resetAfterMs;
      if (typeof resetAfterMs !== 'number') return;
      shared.clock.advance(resetAfterMs);
      expect(await peek('ann')).toEqual(await peek('bob'));
    }),
    runs(1),
  );
});
