import { expect, it } from '@jest/globals';
import {
  type Change,
  type ChangeResponse,
  fixedWindow,
  type Limit,
  type LimitCheck,
  type Store,
  type StoreRequest,
  type StoreResponse,
  slidingWindow,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { check, SharedStore } from './shared-store.js';

const HOLDERS = 3;
const SLICE = 4;

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await new Promise(setImmediate);
};

/** A connection to the shared store. Every call takes some turns on its way there, and some on its way back. */
class SlowWay extends SharedStore {
  readonly #shared: SharedStore;
  readonly #lags: readonly number[];
  #calls = 0;

  constructor(shared: SharedStore, lags: readonly number[]) {
    super(shared.clock);
    this.#shared = shared;
    this.#lags = lags;
  }

  override consume(ask: StoreRequest): Promise<StoreResponse> {
    return this.#carried(() => this.#shared.consume(ask));
  }

  override adjust(change: Change): Promise<ChangeResponse> {
    return this.#carried(() => this.#shared.adjust(change));
  }

  async #carried<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    const lag = this.#lags[this.#calls % this.#lags.length] as number;
    await turns(lag % 4);
    const answer = await call();
    await turns(lag >> 2);
    return answer;
  }
}

const step = fc.record({
  holder: fc.nat(HOLDERS - 1),
  cost: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 5 })),
  isCancelled: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  turns: fc.nat(2),
  waitMs: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.nat(1200)),
  isClosed: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true)),
});

const scene = fc.record({
  quota: fc.integer({ min: 20, max: 80 }),
  kind: fc.nat(3),
  lags: fc.array(fc.nat(15), { minLength: 1, maxLength: 20 }),
  steps: fc.array(step, { maxLength: 60, size: 'max' }),
});

type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

function limitOf({ quota, kind }: Scene): Limit {
  const options = { limit: quota, window: '1h' } as const;
  const limits = [slidingWindow, slidingWindowLog, fixedWindow].map((limitBy) => limitBy(options));
  return limits[kind] ?? tokenBucket({ capacity: quota, refillRate: 0 });
}

/**
 * Units admitted minus units given back: the maximum, the number at the end, and the units that are left at the end.
 */
async function played(scene: Scene, form: (store: Store<true>) => Store<true>) {
  const shared = new SharedStore();
  const checks = (cost: number): readonly LimitCheck[] => [check(limitOf(scene), { cost })];
  const newHolder = (): Store<true> => form(new SlowWay(shared, scene.lags));
  const holders = Array.from({ length: HOLDERS }, newHolder);
  const sums = { started: HOLDERS, net: 0, most: 0 };
  const ask = async (store: Store<true>, cost: number, isCancelled: boolean): Promise<void> => {
    const { allowed, atMs } = await store.consume({ checks: checks(cost) });
    if (!allowed) return;
    sums.net += cost;
    sums.most = Math.max(sums.most, sums.net);
    if (!isCancelled) return;
    sums.net -= cost;
    if ((await store.adjust({ checks: checks(-cost), atMs })).result !== 'applied') sums.net += cost;
  };
  let asked: Promise<void>[] = [];
  for (const step of scene.steps) {
    asked.push(ask(holders[step.holder] as Store<true>, step.cost, step.isCancelled));
    await turns(step.turns);
    if (!step.isClosed && step.waitMs === 0) continue;
    await Promise.all(asked);
    asked = [];
    shared.clock.advance(step.waitMs);
    if (!step.isClosed) continue;
    await holders[step.holder]?.close();
    holders[step.holder] = newHolder();
    sums.started += 1;
  }
  await Promise.all(asked);
  await Promise.all(holders.map((store) => store.close()));
  await turns(10);
  const { verdicts } = await shared.consume({ checks: checks(1), peek: true });
  return { ...sums, left: verdicts[0]?.remaining };
}

it('Holders that give back unspent units lose and create none, in any order of their calls', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (scene) => {
      const { most, net, left } = await played(scene, (store) => new LeasedStore({ busyFrom: 2, store }));
      expect(most).toBeLessThanOrEqual(scene.quota);
      expect(left).toBe(scene.quota - net);
    }),
    runs(1),
  );
});

it('Synced stores report all admitted units in the end, and exceed the limit by at most a slice each', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (scene) => {
      const { started, most, net, left } = await played(scene, (store) => new SyncedStore({ store, slice: SLICE }));
      expect(most).toBeLessThanOrEqual(scene.quota + started * SLICE);
      const free = Math.max(0, scene.quota - net);
      expect(left).toBeLessThanOrEqual(free);
      // A refund may overtake the charge that it belongs to. Then it is lost.
      if (!scene.steps.some(({ isCancelled }) => isCancelled)) expect(left).toBe(free);
    }),
    runs(1),
  );
});
