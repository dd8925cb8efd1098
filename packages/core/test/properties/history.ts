import type { Limit } from '@sluice/core';
import { spanMs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import type { World } from './world.js';

/** One event of a key, relative to the limit, so that a script fits any limit. */
export interface Step {
  readonly verb: 'consume' | 'peek' | 'charge' | 'refund' | 'refund-newest';
  /** The time before it: until a retry, until the reset, or some thousandths of the limit's span. */
  readonly wait: { readonly until: 'now' | 'retry' | 'reset'; readonly share: number; readonly plusMs: number };
  /** Units, or thousandths of the quota. */
  readonly cost: { readonly units: number } | { readonly share: number };
  /** The earlier admission that a refund is for. */
  readonly pick: number;
}

const wait = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ until: 'now' as const, share: 0, plusMs: 0 }) },
  {
    weight: 2,
    arbitrary: fc.record({
      until: fc.constantFrom('retry' as const, 'reset' as const),
      share: fc.constant(0),
      plusMs: fc.integer({ min: -1, max: 1 }),
    }),
  },
  fc.record({
    until: fc.constant('now' as const),
    share: fc.oneof(fc.constantFrom(1000, 500, 50), fc.nat(2100)),
    plusMs: fc.integer({ min: -1, max: 2 }),
  }),
);
const cost = fc.oneof(
  { weight: 3, arbitrary: fc.record({ units: fc.integer({ min: 0, max: 3 }) }) },
  fc.record({ share: fc.oneof(fc.constant(1000), fc.nat(1200)) }),
);

/** Arbitrary steps, most of them requests; `verbs` are the others. */
export function steps(verbs: readonly Step['verb'][], maxLength = 40): fc.Arbitrary<Step[]> {
  const verb = fc.oneof(
    { weight: 3, arbitrary: fc.constant('consume' as const) },
    ...(verbs.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...verbs) }] : []),
  );
  return fc.array(fc.record({ verb, wait, cost, pick: fc.nat(50) }), { maxLength, size: 'max' });
}

export const ALL_VERBS = ['peek', 'charge', 'refund', 'refund-newest'] as const;

/** Units that were admitted: first `cost`, then less what was given back. */
export interface Admission {
  readonly id: string;
  readonly atMs: number;
  readonly delayMs: number;
  readonly cost: number;
  units: number;
}

/** The naive log that a limit is compared with. */
export interface History {
  readonly admitted: Admission[];
  readonly givenBack: { readonly atMs: number; readonly units: number }[];
}

export const emptyHistory = (): History => ({ admitted: [], givenBack: [] });

export function unitsOf({ cost: asked }: Step, limit: Limit): number {
  if (limit.algorithm === 'concurrency') return 1;
  return 'units' in asked ? asked.units : Math.ceil((limit.quota * asked.share) / 1000);
}

export function waitMs({ wait: { until, share, plusMs } }: Step, limit: Limit, world: World, units: number): number {
  const { retryAfterMs, resetAfterMs } = world.peek(limit, units);
  const times = { now: 0, retry: retryAfterMs, reset: resetAfterMs };
  const ms = times[until] === 'never' ? 0 : times[until];
  return Math.max(0, Math.floor((spanMs(limit) * share) / 1000) + ms + plusMs);
}

/** Makes one step and records it. */
export function make(step: Step, limit: Limit, world: World, history: History = emptyHistory()): void {
  const units = unitsOf(step, limit);
  world.clock.advance(waitMs(step, limit, world, units));
  VERBS[step.verb](world, limit, units, history, step.pick);
}

type Verb = (world: World, limit: Limit, units: number, history: History, pick: number) => void;

const VERBS: Readonly<Record<Step['verb'], Verb>> = {
  consume(world, limit, units, { admitted }) {
    const id = world.newId();
    const { atMs, allowed, verdicts } = world.ask([world.check(limit, units)], id);
    const delayMs = verdicts[0]?.delayMs ?? 0;
    if (allowed) admitted.push({ id, atMs, delayMs, cost: units, units });
  },

  peek(world, limit, units) {
    world.peek(limit, units);
  },

  charge(world, limit, units) {
    world.adjust(limit, units);
  },

  refund(world, limit, units, history, pick) {
    const admission = history.admitted[pick % history.admitted.length];
    if (!admission) return;
    const given = Math.min(units, admission.units);
    const { id, atMs } = admission;
    const slot = limit.algorithm === 'concurrency' ? { id } : {};
    if (world.adjust(limit, -given, { atMs, ...slot }) === 'applied') takeOff([admission], given, world, history);
  },

  'refund-newest'(world, limit, units, history) {
    const isApplied = world.adjust(limit, -units) === 'applied';
    if (isApplied) takeOff(history.admitted.toReversed(), units, world, history);
  },
};

function takeOff(admissions: readonly Admission[], units: number, world: World, { givenBack }: History): void {
  givenBack.push({ atMs: world.clock.now(), units });
  let rest = units;
  for (const admission of admissions) {
    const taken = Math.min(rest, admission.units);
    admission.units -= taken;
    rest -= taken;
  }
}
