import { expect, it } from '@jest/globals';
import { concurrency, fixedWindow, type Limit, type LimitCheck, tokenBucket } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import fc from 'fast-check';
import type { Snapshot, Swap } from '../../src/compare-and-swap/backend.js';
import { compareAndSwapStore } from '../../src/compare-and-swap/compare-and-swap-store.js';
import { MapBackend } from './map-backend.js';

/** A database whose steps begin and end when the schedule of a test says so. */
class ScheduledBackend extends MapBackend {
  readonly #scheduler: fc.Scheduler;

  constructor(scheduler: fc.Scheduler) {
    super();
    this.#scheduler = scheduler;
  }

  override async read(keys: readonly string[]): Promise<Snapshot> {
    await this.#scheduler.schedule(Promise.resolve());
    const snapshot = await super.read(keys);
    await this.#scheduler.schedule(Promise.resolve());
    return snapshot;
  }

  override async swap(swaps: readonly Swap[]): Promise<boolean> {
    await this.#scheduler.schedule(Promise.resolve());
    const isMade = await super.swap(swaps);
    await this.#scheduler.schedule(Promise.resolve());
    return isMade;
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
      const backend = new ScheduledBackend(scheduler);
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
