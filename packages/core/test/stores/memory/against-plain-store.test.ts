import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { type Limit, type LimitCheck, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { runs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { PlainStore } from './plain-store.js';

beforeEach(() => {
  // Sweeps by real time would forget expired keys that are valid again when the clock goes back.
  jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const { 'fixed-window': _calendars, ...limits } = strictLimits;
const anyLimit = fc.oneof(
  ...Object.values(limits),
  strictLimits['fixed-window'].filter(({ calendar }) => calendar === undefined),
);

/** The same few keys under the same few names, with limits that change. */
const checks = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('first', 'second'),
    key: fc.constantFrom('ann', 'bob', 'Łukasz', 'x'.repeat(200)),
    pick: fc.nat(5),
    cost: fc.oneof(fc.nat(3), fc.nat(70)),
  }),
  { minLength: 1, maxLength: 3, selector: ({ name, key }) => `${name} ${key}` },
);

const steps = fc.array(
  fc.record({
    verb: fc.constantFrom('consume', 'consume', 'consume', 'peek', 'adjust'),
    checks,
    passesMs: fc.oneof(fc.nat(3), fc.nat(3000), fc.integer({ min: -500, max: -1 }), fc.constant(86_400_000)),
    atMs: fc.option(fc.nat(3000), { nil: undefined }),
    isCharge: fc.boolean(),
  }),
  { maxLength: 80, size: 'max' },
);

it('A memory store decides like a store with an object for each key, to the last unit, and keeps as many keys', () => {
  fc.assert(
    fc.property(fc.array(anyLimit, { minLength: 1, maxLength: 6 }), steps, (limits, script) => {
      const clock = new ManualClock();
      const store = new MemoryStore({ clock });
      const plain = new PlainStore();
      for (const [i, step] of script.entries()) {
        clock.set(clock.now() + step.passesMs);
        const nowMs = clock.now();
        const asked = step.checks.map(({ pick, ...check }): LimitCheck => {
          const limit = limits[pick % limits.length] as Limit;
          return { policy: 'policy', limit, ...check, cost: limit.algorithm === 'concurrency' ? 1 : check.cost };
        });
        if (step.verb === 'adjust') {
          const changes = asked.map((check) => ({ ...check, cost: step.isCharge ? check.cost : -check.cost }));
          const change = { checks: changes, ...(step.atMs !== undefined && { atMs: nowMs - step.atMs }) };
          expect(store.adjust(change)).toEqual(plain.adjust(change, nowMs));
        } else {
          const ask = { checks: asked, id: `id ${i}`, ...(step.verb === 'peek' && { peek: true as const }) };
          expect(store.consume(ask)).toEqual(plain.consume(ask, nowMs));
        }
        expect(store.size).toBe(plain.size);
      }
      store.close();
    }),
    runs(5),
  );
});
