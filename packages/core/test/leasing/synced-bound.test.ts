import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { boundOf, fixedWindow, type Limit, SyncedStore, slidingWindow, tokenBucket } from '../../src/index.js';
import { runs, spanMs } from '../properties/arbitrary-limit.js';
import { check, SharedStore } from './shared-store.js';

const SYNC_MS = 20;
const SLICE = 3;
const HOLDERS = 3;

const step = fc.record({
  holder: fc.nat(HOLDERS - 1),
  isKilled: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true)),
  waitShare: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(1000, 500), fc.nat(1100)),
  waitMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(1, SYNC_MS - 1, SYNC_MS), fc.nat(50)),
  callers: fc.integer({ min: 1, max: 6 }),
  cost: fc.integer({ min: 1, max: 2 }),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const limits = fc.oneof(
  fc
    .record({ limit: fc.integer({ min: 1, max: 30 }), window: fc.integer({ min: 20, max: 300 }) })
    .chain((windowed) =>
      fc.constantFrom(slidingWindow(windowed), fixedWindow(windowed), fixedWindow({ ...windowed, align: 'clock' })),
    ),
  fc
    .record({ capacity: fc.integer({ min: 1, max: 30 }), refillRate: fc.integer({ min: 1, max: 100 }) })
    .map(tokenBucket),
);

/** Lets time pass as it does for a process that is not held up: every moment of syncing is one. */
async function pass(shared: SharedStore, ms: number): Promise<void> {
  for (let restMs = ms; restMs > 0; restMs -= SYNC_MS) {
    shared.clock.advance(Math.min(restMs, SYNC_MS));
    await new Promise(setImmediate);
  }
}

/** A process's way to the shared store, which ends when the process is killed. */
function wayTo(shared: SharedStore): SharedStore & { isCut: boolean } {
  const way = Object.create(shared);
  const unlessCut =
    <A, R>(call: (argument: A) => Promise<R>) =>
    (argument: A): Promise<R> =>
      way.isCut ? Promise.reject(new Error('killed')) : call.call(shared, argument);
  return Object.assign(way, {
    isCut: false,
    consume: unlessCut(shared.consume),
    adjust: unlessCut(shared.adjust),
  });
}

/** Units admitted by several holders, by when. Those who are killed never tell what they counted. */
async function played(limit: Limit, steps: readonly Step[]) {
  const shared = new SharedStore();
  let instances = 0;
  const newHolder = () => {
    instances += 1;
    const way = wayTo(shared);
    return { way, store: new SyncedStore({ store: way, sync: SYNC_MS, slice: SLICE }) };
  };
  const holders = Array.from({ length: HOLDERS }, newHolder);
  const admitted: { atMs: number; units: number }[] = [];
  for (const { holder, isKilled, waitShare, waitMs, callers, cost } of steps) {
    await pass(shared, Math.floor((Math.min(1000, spanMs(limit)) * waitShare) / 1000) + waitMs);
    if (isKilled) {
      (holders[holder] as { way: { isCut: boolean } }).way.isCut = true;
      holders[holder] = newHolder();
    }
    const { store } = holders[holder] as { store: SyncedStore };
    const ask = async (): Promise<void> => {
      const { allowed } = await store.consume({ checks: [check(limit, { cost })] });
      if (allowed) admitted.push({ atMs: shared.clock.now(), units: cost });
    };
    await Promise.all(Array.from({ length: callers }, ask));
  }
  await Promise.all(holders.map(({ store }) => store.close()));
  return { admitted, instances };
}

it('Several synced holders together admit no more in any window than the worst case that is told', async () => {
  let mostAboveLimit = 0;
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 40, size: 'max' }), async (limit, steps) => {
      const { admitted, instances } = await played(limit, steps);
      for (const [i, first] of admitted.entries()) {
        let units = 0;
        for (const last of admitted.slice(i)) {
          units += last.units;
          const windowMs = last.atMs - first.atMs + 1;
          mostAboveLimit = Math.max(mostAboveLimit, units - boundOf(limit, windowMs));
          expect(units).toBeLessThanOrEqual(boundOf(limit, windowMs, { sync: SYNC_MS, slice: SLICE, instances }));
        }
      }
    }),
    runs(0.5),
  );
  // It is a worst case that comes near.
  expect(mostAboveLimit).toBeGreaterThanOrEqual(SLICE);
}, 600_000);
