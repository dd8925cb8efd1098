import '@sluice/core/calendars';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import {
  fixedWindow,
  type Limit,
  type LimitCheck,
  MemoryStore,
  type StoreRequest,
  type StoreResponse,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { plainLimits, runs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { SingleCheck } from '../../../src/stores/memory/single-check.js';
import { CalendarBoundsCache } from '../../../src/values/calendar.js';
import { GeneralStore } from './general-store.js';

beforeEach(() => {
  // Sweeps by real time would forget keys that are valid again when the clock goes back.
  jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const byHour = fixedWindow({ limit: 9, window: { unit: 'hour', timeZone: 'UTC' } });
const limits = fc.array(fc.oneof(...Object.values(plainLimits), ...Object.values(strictLimits), fc.constant(byHour)), {
  minLength: 2,
  maxLength: 4,
});

const place = fc.record({
  policy: fc.constantFrom('one', 'other'),
  name: fc.constantFrom('a', 'b'),
  key: fc.constantFrom('ann', 'bob', 'x'.repeat(200)),
});
const asked = fc.record({
  places: fc.uniqueArray(place, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
  limit: fc.nat(3),
  cost: fc.oneof(fc.constant(0), fc.nat(4), fc.nat(70)),
  margin: fc.constantFrom(0, 0, 0, 0.5, -0.5),
  shadow: fc.constantFrom(false, false, false, true),
  /** Most asks spend from one limit, and say nothing more. */
  kind: fc.constantFrom('one', 'one', 'one', 'one', 'several', 'peek', 'refused', 'once', 'some', 'late'),
});
const steps = fc.array(
  fc.record({
    verb: fc.constantFrom('ask', 'ask', 'ask', 'ask', 'ask', 'block', 'unblock', 'adjust', 'reset'),
    asked,
    passesMs: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(5000), fc.constantFrom(-400, 86_400_000, -86_400_000)),
  }),
  { maxLength: 80, size: 'max' },
);

type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

function checksOf(
  { places, limit, cost, margin, shadow, kind }: Step['asked'],
  among: readonly Limit[],
  clock: ManualClock,
) {
  const chosen = among[limit % among.length] as Limit;
  const bounds = chosen.calendar && new CalendarBoundsCache(clock).now(chosen.calendar);
  const units = Math.floor(margin * chosen.quota);
  return places.slice(0, kind === 'several' ? 3 : 1).map(
    (target): LimitCheck => ({
      ...target,
      limit: chosen,
      cost: chosen.algorithm === 'concurrency' ? Math.sign(cost) : cost,
      ...(units !== 0 && { margin: units }),
      ...(shadow && { shadow: true as const }),
      ...(bounds && { calendarBoundsMs: bounds }),
    }),
  );
}

function askOf({ asked }: Step, checks: readonly LimitCheck[], nowMs: number): StoreRequest {
  const needsId = checks.some(({ limit }) => limit.algorithm === 'concurrency');
  const ask: StoreRequest = { checks, ...(needsId && { id: `slot ${asked.cost}` }) };
  if (asked.kind === 'peek') return { ...ask, peek: true };
  if (asked.kind === 'refused') return { ...ask, peek: 'refused' };
  if (asked.kind === 'once') return { ...ask, id: `${asked.cost}`, holdMs: 1000 };
  if (asked.kind === 'some') return { ...ask, atLeast: 1 };
  return asked.kind === 'late' ? { ...ask, notAfterMs: nowMs + asked.cost - 2 } : ask;
}

function take(store: MemoryStore, step: Step, checks: readonly LimitCheck[], nowMs: number): unknown {
  if (step.verb === 'reset') return store.reset(checks);
  if (step.verb === 'block') return store.blocks.block({ targets: checks, forMs: 2000 });
  if (step.verb === 'unblock') return store.blocks.unblock(checks);
  if (step.verb === 'adjust') {
    const sign = step.asked.shadow ? -1 : 1;
    return store.adjust({ checks: checks.map((check) => ({ ...check, cost: sign * check.cost })) });
  }
  try {
    return store.consume(askOf(step, checks, nowMs)) satisfies StoreResponse;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

it('Asks about one limit are decided by the quick route as by the general one, among asks of every kind', () => {
  const decide = jest.spyOn(SingleCheck.prototype, 'decide');
  const stores = fc.record({ maxKeys: fc.constantFrom(1, 3, 100), whenFull: fc.constantFrom('evict', 'refuse') });
  fc.assert(
    fc.property(limits, stores, steps, (among, options, script) => {
      const clock = new ManualClock();
      const quick = new MemoryStore({ clock, ...options } as never);
      const general = new GeneralStore({ clock, ...options } as never);
      for (const step of script) {
        clock.set(clock.now() + step.passesMs);
        const checks = checksOf(step.asked, among, clock);
        const [one, other] = [quick, general].map((store) => take(store, step, checks, clock.now()));
        expect(one).toEqual(other);
        expect(quick.size).toBe(general.size);
      }
      quick.close();
      general.close();
    }),
    runs(5),
  );
  expect(decide.mock.results.filter(({ value }) => value !== undefined).length).toBeGreaterThan(500);
  expect(decide.mock.results.every(({ type }) => type === 'return')).toBe(true);
});
