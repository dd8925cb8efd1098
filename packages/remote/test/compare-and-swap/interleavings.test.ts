import { expect, it } from '@jest/globals';
import { concurrency, fixedWindow, type Limit, type LimitCheck, tokenBucket } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import fc from 'fast-check';
import type { CompareAndSwapBackend, Snapshot, Swap } from '../../src/compare-and-swap/backend.js';
import { compareAndSwapStore } from '../../src/compare-and-swap/compare-and-swap-store.js';
import { MapBackend } from './map-backend.js';

/** A database whose steps begin and end when the schedule of a test says so. */
class ScheduledBackend implements CompareAndSwapBackend {
  readonly #scheduler: fc.Scheduler;
  readonly #database: CompareAndSwapBackend;

  constructor(scheduler: fc.Scheduler, database: CompareAndSwapBackend) {
    this.#scheduler = scheduler;
    this.#database = database;
  }

  read(keys: readonly string[]): Promise<Snapshot> {
    return this.#scheduled(() => this.#database.read(keys));
  }

  swap(swaps: readonly Swap[], notAfterMs: number | undefined): Promise<boolean> {
    return this.#scheduled(() => this.#database.swap(swaps, notAfterMs));
  }

  delete(keys: readonly string[]): Promise<number> {
    return this.#database.delete(keys);
  }

  async #scheduled<T>(call: () => Promise<T>): Promise<T> {
    await this.#scheduler.schedule(Promise.resolve());
    const result = await call();
    await this.#scheduler.schedule(Promise.resolve());
    return result;
  }
}

const LIMITS: Readonly<Record<string, Limit>> = {
  fixed: fixedWindow({ limit: 4, window: '1h' }),
  bucket: tokenBucket({ capacity: 4, refillRate: 0 }),
  slots: concurrency({ limit: 4, lease: '1h' }),
};

const checkArb = fc.record({
  name: fc.constantFrom(...Object.keys(LIMITS)),
  key: fc.constantFrom('a', 'b'),
  cost: fc.integer({ min: 0, max: 2 }),
});

const askArb = fc.record({
  store: fc.nat(2),
  checks: fc.uniqueArray(checkArb, { minLength: 1, maxLength: 3, selector: ({ name, key }) => `${name} ${key}` }),
});

it('In any interleaving of instances, no limit is exceeded, and the state matches the admissions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(askArb, { minLength: 1, maxLength: 12 }), async (scheduler, asks) => {
      const backend = new ScheduledBackend(scheduler, new MapBackend());
      const clock = new ManualClock();
      const stores = [0, 1, 2].map(() => compareAndSwapStore(backend, { clock, attempts: 1000 }));
      const admitted = new Map<string, number>();
      const asked = asks.map(async ({ store, checks }, i) => {
        const whole = checks.map(
          ({ name, key, cost }): LimitCheck => ({ policy: 'p', name, key, limit: LIMITS[name] as Limit, cost }),
        );
        const { allowed } = await (stores[store] as (typeof stores)[0]).consume({ checks: whole, id: `${i}` });
        if (!allowed) return;
        for (const { name, key, cost } of checks) {
          const units = name === 'slots' ? Math.min(1, cost) : cost;
          admitted.set(`${name} ${key}`, (admitted.get(`${name} ${key}`) ?? 0) + units);
        }
      });
      await scheduler.waitFor(Promise.all(asked));
      for (const name of Object.keys(LIMITS)) {
        for (const key of ['a', 'b']) {
          const check: LimitCheck = { policy: 'p', name, key, limit: LIMITS[name] as Limit, cost: 1 };
          const look = (stores[0] as (typeof stores)[0]).consume({ checks: [check], peek: true });
          const { verdicts } = await scheduler.waitFor(look);
          expect([name, key, verdicts[0]?.used]).toEqual([name, key, admitted.get(`${name} ${key}`) ?? 0]);
          expect(verdicts[0]?.used).toBeLessThanOrEqual(4);
        }
      }
    }),
    { numRuns: 150 },
  );
});

/** A database with a clock, which goes on with each step, and by which entries end. */
class AgeingBackend extends MapBackend {
  #nowMs = 1_700_000_000_000;
  readonly #stepsMs: readonly number[];
  #step = 0;
  readonly #endsMs = new Map<string, number>();

  constructor(stepsMs: readonly number[]) {
    super();
    this.#stepsMs = stepsMs;
  }

  override async read(keys: readonly string[]): Promise<Snapshot> {
    this.#goOn();
    const atMs = this.#nowMs;
    return { ...(await super.read(keys)), atMs };
  }

  override async swap(swaps: readonly Swap[]): Promise<boolean> {
    this.#goOn();
    const isMade = await super.swap(swaps);
    if (isMade) for (const { key, next } of swaps) this.#endsMs.set(key, this.#nowMs + (next?.forMs ?? 0));
    return isMade;
  }

  #goOn(): void {
    this.#nowMs += this.#stepsMs[this.#step % this.#stepsMs.length] ?? 0;
    this.#step += 1;
    for (const [key, endMs] of this.#endsMs) if (endMs <= this.#nowMs) this.entries.delete(key);
  }
}

it('A decision is not written where another entry has come and gone meanwhile', async () => {
  const limit = fixedWindow({ limit: 1, window: '100ms', align: 'clock' });
  const stepsArb = fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), stepsArb, async (scheduler, stepsMs) => {
      const backend = new ScheduledBackend(scheduler, new AgeingBackend(stepsMs));
      const stores = [0, 1, 2].map(() => compareAndSwapStore(backend, { timeout: '1s', attempts: 1000 }));
      const admitted = new Map<number, number>();
      const asked = stores.map(async (store) => {
        const check: LimitCheck = { policy: 'p', name: 'n', key: 'a', limit, cost: 1 };
        const { allowed, atMs } = await store.consume({ checks: [check] });
        const window = Math.floor(atMs / 100);
        if (allowed) admitted.set(window, (admitted.get(window) ?? 0) + 1);
      });
      await scheduler.waitFor(Promise.all(asked));
      expect([...admitted.values()].filter((count) => count > 1)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
