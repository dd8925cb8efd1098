import { expect, it } from '@jest/globals';
import {
  boundOf,
  type Change,
  type ChangeResponse,
  fixedWindow,
  type Limit,
  type StoreRequest,
  type StoreResponse,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { SyncedStore } from '@sluice/core/distributed';
import { runs, spanMs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { check, SharedStore } from '../leased/shared-store.js';

const SYNC_MS = 20;
const SLICE = 3;
const HOLDERS = 3;

const step = fc.record({
  holder: fc.nat(HOLDERS - 1),
  /** How long a call to the shared store takes now. */
  lagMs: fc.oneof(fc.constant(0), fc.nat(2 * SYNC_MS)),
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

/** Lets time pass as in a process without stalls: no synchronization is skipped. */
async function pass(shared: SharedStore, ms: number): Promise<void> {
  for (let restMs = ms; restMs > 0; restMs -= SYNC_MS) {
    shared.clock.advance(Math.min(restMs, SYNC_MS));
    await new Promise(setImmediate);
  }
}

/** A process's connection to the shared store. Its calls may be delayed, and it ends when the process is killed. */
class Way extends SharedStore {
  lagMs = 0;
  isCut = false;
  readonly #shared: SharedStore;

  constructor(shared: SharedStore) {
    super(shared.clock);
    this.#shared = shared;
  }

  override async consume(ask: StoreRequest): Promise<StoreResponse> {
    this.#unlessCut();
    return this.#shared.consume(ask);
  }

  override async adjust(change: Change): Promise<ChangeResponse> {
    await this.clock.sleep(this.lagMs);
    this.#unlessCut();
    return this.#shared.adjust(change);
  }

  #unlessCut(): void {
    if (this.isCut) throw new Error('killed');
  }
}

interface Holder {
  readonly way: Way;
  readonly store: SyncedStore;
}

/** Units that several holders admitted, by time. A killed holder never reports its counts. */
async function played(limit: Limit, steps: readonly Step[]) {
  const shared = new SharedStore();
  let instances = 0;
  const newHolder = (): Holder => {
    instances += 1;
    const way = new Way(shared);
    // Some ask about the first requests of a key alone.
    const busyFrom = 1 + (instances % 3);
    return { way, store: new SyncedStore({ busyFrom, store: way, sync: SYNC_MS, slice: SLICE }) };
  };
  const holders = Array.from({ length: HOLDERS }, newHolder);
  const admitted: { atMs: number; units: number }[] = [];
  for (const { holder, lagMs, isKilled, waitShare, waitMs, callers, cost } of steps) {
    await pass(shared, Math.floor((Math.min(1000, spanMs(limit)) * waitShare) / 1000) + waitMs);
    if (isKilled) {
      (holders[holder] as Holder).way.isCut = true;
      holders[holder] = newHolder();
    }
    const { store, way } = holders[holder] as Holder;
    way.lagMs = lagMs;
    const ask = async (): Promise<void> => {
      const { allowed } = await store.consume({ checks: [check(limit, { cost })] });
      if (allowed) admitted.push({ atMs: shared.clock.now(), units: cost });
    };
    await Promise.all(Array.from({ length: callers }, ask));
  }
  const closed = Promise.all(holders.map(({ store }) => store.close()));
  await pass(shared, 4 * SYNC_MS);
  await closed;
  return { admitted, instances };
}

it('Several synced stores together never exceed the documented worst case', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 40, size: 'max' }), async (limit, steps) => {
      const { admitted, instances } = await played(limit, steps);
      for (const [i, first] of admitted.entries()) {
        let units = 0;
        for (const last of admitted.slice(i)) {
          units += last.units;
          const windowMs = last.atMs - first.atMs + 1;
          expect(units).toBeLessThanOrEqual(
            boundOf(limit, windowMs, { sync: SYNC_MS, slice: SLICE, instances, onStoreError: 'deny' }),
          );
        }
      }
    }),
    runs(0.5),
  );
}, 600_000);

it('Synced stores with slow reports admit almost as much as the worst case', async () => {
  const limit = slidingWindow({ limit: 10, window: 1000 });
  const shared = new SharedStore();
  const ways = Array.from({ length: HOLDERS }, () => new Way(shared));
  const stores = ways.map((way) => new SyncedStore({ busyFrom: 1, store: way, sync: SYNC_MS, slice: SLICE }));
  let admitted = 0;
  const ask = async (store: SyncedStore): Promise<void> => {
    if ((await store.consume({ checks: [check(limit)] })).allowed) admitted += 1;
  };
  for (const way of ways) way.lagMs = SYNC_MS;
  for (const store of stores) await ask(store);
  for (const store of stores) for (let i = 0; i < 20; i += 1) await ask(store);
  const synced = { sync: SYNC_MS, slice: SLICE, instances: HOLDERS, onStoreError: 'deny' as const };
  const bound = boundOf(limit, 1000 - SYNC_MS, synced);
  expect(admitted).toBeLessThanOrEqual(bound);
  // The last unit is not admitted without a request.
  expect(admitted).toBeGreaterThanOrEqual(bound - 1);
  const closed = Promise.all(stores.map((store) => store.close()));
  await pass(shared, SYNC_MS);
  await closed;
});
