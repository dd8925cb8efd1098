import type { Limit, LimitCheck, PartCheck, StoreVerdict, Verdict } from '@sluice/core';
import { fixedWindow, leakyBucket, slidingWindow, slidingWindowCounter, tokenBucket } from '@sluice/core';
import { definitionOf } from '@sluice/core/src/algorithms/definitions';
import fc from 'fast-check';
import { ALGORITHM_NAMES, plainLimits, strictLimits } from '../arbitrary-limit.js';

/** Up to four limits of one request, and what happens to them. */
export interface Scene {
  readonly places: readonly Place[];
  readonly steps: readonly Step[];
}

/** A limit by name: the numbers, or even the algorithm, may change while its name stays. */
export interface Place {
  readonly variants: readonly Limit[];
  readonly isShadow: boolean;
  /** Of a limit with guaranteed parts, which are the two places before it. */
  readonly lend?: number;
}

/** Makes one check of a limit with guaranteed parts and of its parts, where all three are among these checks, by their places. */
export function withParts(places: readonly Place[], checks: ReadonlyMap<number, LimitCheck>): LimitCheck[] {
  const made = new Map(checks);
  places.forEach(({ lend }, i) => {
    const [own, all, whole] = [made.get(i - 2), made.get(i - 1), made.get(i)];
    if (lend === undefined || !own || !all || !whole) return;
    made.delete(i - 2);
    made.delete(i - 1);
    made.set(i, { ...whole, parts: { own: partOf(own), all: partOf(all), lend } });
  });
  return [...made.values()];
}

/** Returns all verdicts, also those of parts. */
export function listed(verdicts: readonly StoreVerdict[]): readonly Verdict[] {
  return verdicts.flatMap((verdict) => (verdict.parts ? [verdict.parts.own, verdict.parts.all, verdict] : [verdict]));
}

function partOf({ parts: _, ...check }: LimitCheck): PartCheck {
  return { ...check, shadow: true };
}

/** Units, or thousandths of the quota. */
export type Amount = { readonly units: number } | { readonly share: number };

/** What of an earlier step a step is about is found by `pick`; the checks it asks by the bits of `mask`. */
export type Step =
  | {
      readonly verb: 'ask';
      readonly mode: 'spend' | 'peek' | 'renew';
      readonly mask: number;
      readonly amounts: readonly Amount[];
      /** Margins in thousandths of the quotas; 0 for none. */
      readonly margins: readonly number[];
      readonly id: 'none' | 'new' | 'earlier';
      readonly holdMs: number | undefined;
      readonly atLeast: number | undefined;
      /** From now on; negative when the answer comes too late. */
      readonly deadlineMs: number | undefined;
      /** How far from the store's time the caller's clock is, in windows of the calendar. */
      readonly boundsOff: number;
      readonly pick: number;
    }
  | {
      readonly verb: 'adjust';
      readonly mask: number;
      readonly amounts: readonly Amount[];
      /** Margins in thousandths of the quotas; 0 for none. */
      readonly margins: readonly number[];
      readonly isBack: boolean;
      readonly id: 'none' | 'new' | 'earlier';
      readonly at: 'none' | 'earlier';
      readonly isUnspent: boolean;
      readonly boundsOff: number;
      readonly pick: number;
    }
  | { readonly verb: 'repeat-ask' | 'repeat-change'; readonly pick: number }
  | { readonly verb: 'reset'; readonly mask: number }
  | { readonly verb: 'block'; readonly mask: number; readonly forMs: number }
  | { readonly verb: 'unblock'; readonly mask: number }
  | { readonly verb: 'change-limit'; readonly pick: number; readonly variant: number }
  | { readonly verb: 'wait'; readonly until: 'retry' | 'reset'; readonly pick: number; readonly plusMs: number }
  | { readonly verb: 'move-clock'; readonly ms: number };

const YEAR_MS = 31_536_000_000;

/** The largest quota, or product of a quota and a counter's window or a bucket's `m`, that can still be counted exactly. */
const LARGEST_PRODUCT = Math.floor(Number.MAX_SAFE_INTEGER / 2);

/** Above every quota. The last hundred before 2^53 are left out: ioredis, reading a reply, adds a digit's character code on the way. */
export const HUGE_COST = Number.MAX_SAFE_INTEGER - 100;

const hugeQuota = (window: number) =>
  fc.integer({ min: 1, max: 1000 }).map((share) => Math.floor((LARGEST_PRODUCT / window / 1000) * share));

const anyWindow = fc.constantFrom(1, 7, 1000, 3_600_000, 86_400_000, 100 * YEAR_MS);
const hugeWindowed = fc.record({ limit: hugeQuota(1), window: anyWindow });

const hugeLimit = fc.oneof(
  hugeWindowed.map(slidingWindow),
  hugeWindowed.map((options) => slidingWindow({ ...options, countRejected: 'always' })),
  anyWindow
    .chain((window) => fc.record({ limit: hugeQuota(window), window: fc.constant(window) }))
    .map(slidingWindowCounter),
  hugeWindowed.map((options) => fixedWindow({ ...options, align: 'clock' })),
  fc.record({ capacity: hugeQuota(1), refillRate: fc.constantFrom(1000, 5_000_000, 1e12) }).map(tokenBucket),
  fc
    .record({ capacity: hugeQuota(1000), refillRate: fc.constantFrom(1, 3), refillInterval: fc.constant(1000) })
    .map(tokenBucket),
  fc.record({ capacity: hugeQuota(1), leakRate: fc.constantFrom(1000, 2000) }).map(leakyBucket),
);

const anyLimit = fc.oneof(
  { weight: 9, arbitrary: fc.oneof(...Object.values(strictLimits)) },
  { weight: 1, arbitrary: hugeLimit },
);

/** One that leaves nothing behind when it refuses: most decisions about such limits need no kernel in Redis. */
function plain({ blockMs, blocksMs, forgetMs, countRejected, ...limit }: Limit): Limit {
  return limit;
}

const variants = fc
  .oneof(
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(...ALGORITHM_NAMES)
        .chain((algorithm) => fc.array(strictLimits[algorithm], { minLength: 1, maxLength: 3 })),
    },
    fc.array(anyLimit, { minLength: 1, maxLength: 2 }),
  )
  .chain((limits) => fc.constantFrom(limits, limits.map(plain)));

const placeOf = (variants: fc.Arbitrary<readonly Limit[]>, shadows: number): fc.Arbitrary<Place> =>
  fc.record({ variants, isShadow: fc.integer({ min: 1, max: 5 }).map((one) => one <= shadows) });

const amount: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ units: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ share: fc.oneof(fc.constant(1000), fc.nat(2100)) }) },
  { weight: 1, arbitrary: fc.constant({ units: HUGE_COST }) },
);

const amounts = fc.array(amount, { minLength: 4, maxLength: 4 });
const margin = fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: -1000, max: 1000 }));
const margins = fc.array(margin, { minLength: 4, maxLength: 4 });
const noMargins = fc.constant([]);
const mask = fc.oneof({ weight: 2, arbitrary: fc.constant(15) }, fc.integer({ min: 1, max: 15 }));
const pick = fc.nat(1000);
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const boundsOff = fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 3 }));

const ask: fc.Arbitrary<Step> = fc.record({
  verb: fc.constant('ask' as const),
  mode: fc.constantFrom('spend', 'spend', 'spend', 'spend', 'peek', 'renew'),
  mask,
  amounts,
  margins,
  id: fc.constantFrom('none', 'new', 'new', 'earlier'),
  holdMs: seldom(fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 100_000 }))),
  atLeast: seldom(fc.oneof(fc.nat(3), fc.nat(50))),
  deadlineMs: seldom(fc.integer({ min: -2, max: 2 })),
  boundsOff,
  pick,
});

const plainAsk: fc.Arbitrary<Step> = fc.record({
  verb: fc.constant('ask' as const),
  mode: fc.constant('spend' as const),
  mask,
  amounts: fc.array(fc.oneof({ weight: 5, arbitrary: fc.record({ units: fc.integer({ min: 1, max: 3 }) }) }, amount), {
    minLength: 4,
    maxLength: 4,
  }),
  margins: fc.oneof(noMargins, margins),
  id: fc.constant('none' as const),
  holdMs: fc.constant(undefined),
  atLeast: fc.constant(undefined),
  deadlineMs: seldom(fc.integer({ min: -1, max: 2 })),
  boundsOff: fc.constant(0),
  pick,
});

const adjust: fc.Arbitrary<Step> = fc.record({
  verb: fc.constant('adjust' as const),
  mask,
  amounts,
  margins,
  isBack: fc.constantFrom(true, true, false),
  id: fc.constantFrom('none', 'new', 'earlier'),
  at: fc.constantFrom('none', 'earlier'),
  isUnspent: fc.boolean(),
  boundsOff,
  pick,
});

const clockMove = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 6000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 90_000_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: -6000, max: -1 }) },
  { weight: 1, arbitrary: fc.integer({ min: -YEAR_MS, max: YEAR_MS }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 7, arbitrary: ask },
  { weight: 6, arbitrary: plainAsk },
  { weight: 3, arbitrary: adjust },
  { weight: 1, arbitrary: fc.record({ verb: fc.constantFrom('repeat-ask', 'repeat-change'), pick }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('change-limit' as const), pick, variant: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant('wait' as const),
      until: fc.constantFrom('retry', 'reset'),
      pick,
      plusMs: fc.integer({ min: -1, max: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant('move-clock' as const), ms: clockMove }) },
);

const reset: fc.Arbitrary<Step> = fc.record({ verb: fc.constant('reset' as const), mask });

/** A block by hand. Mostly it ends within the scene. */
const block: fc.Arbitrary<Step> = fc.record({
  verb: fc.constant('block' as const),
  mask,
  forMs: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 90_000_000 })),
});

const unblock: fc.Arbitrary<Step> = fc.record({ verb: fc.constant('unblock' as const), mask });

const scenesOf = (
  place: fc.Arbitrary<Place>,
  step: fc.Arbitrary<Step>,
  rarely: fc.Arbitrary<Step>,
): fc.Arbitrary<Scene> =>
  fc.record({
    places: fc.array(place, { minLength: 1, maxLength: 4 }),
    steps: fc.array(fc.oneof({ weight: 40, arbitrary: step }, { weight: 2, arbitrary: rarely }), {
      minLength: 1,
      maxLength: 120,
      size: 'max',
    }),
  });

/** Arbitrary scenes of up to 120 steps. */
export const scenes = scenesOf(placeOf(variants, 1), step, fc.oneof(reset, block, unblock));

const plainVariants = fc.constantFrom(...ALGORITHM_NAMES).chain((algorithm) => {
  const limit = plainLimits[algorithm === 'concurrency' ? 'sliding-window' : algorithm];
  return fc.array(limit, { minLength: 1, maxLength: 2 });
});

/** Scenes in which most asks are plain. */
export const plainScenes = scenesOf(
  placeOf(plainVariants, 0),
  fc.oneof({ weight: 3, arbitrary: plainAsk }, { weight: 1, arbitrary: step.filter(({ verb }) => verb !== 'ask') }),
  fc.oneof(reset, block, unblock),
);

const lend = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));

/** A limit and two parts of it, which are counted as it is, or by any algorithm. */
const dividedPlaces: fc.Arbitrary<readonly Place[]> = fc
  .tuple(variants, fc.array(fc.nat(1000), { minLength: 2, maxLength: 2 }), fc.boolean(), variants, variants)
  .map(([wholes, shares, isDivided, others, someOthers]) => {
    const partsOf = (share: number): readonly Limit[] =>
      wholes.map(
        (whole) => definitionOf(whole).guarantee?.partOf(whole, Math.floor((whole.quota * share) / 1000)) ?? whole,
      );
    const [part, all] = isDivided ? shares.map(partsOf) : [others, someOthers];
    return [
      { variants: part as readonly Limit[], isShadow: true },
      { variants: all as readonly Limit[], isShadow: true },
      { variants: wholes, isShadow: false },
    ];
  });

/** Scenes of a limit with guaranteed parts, alone or beside another limit. */
export const guaranteeScenes: fc.Arbitrary<Scene> = fc
  .tuple(dividedPlaces, lend, fc.array(placeOf(variants, 1), { maxLength: 1 }), fc.boolean())
  .chain(([[part, all, whole], lend, others, isShadow]) => {
    const places = [part, all, { ...whole, lend, isShadow }, ...others] as readonly Place[];
    return scenesOf(placeOf(variants, 1), step, fc.oneof(reset, block, unblock)).map(({ steps }) => ({
      places,
      steps: steps.map(withoutMargins),
    }));
  });

const LEASABLE = ['sliding-window', 'sliding-window-log', 'fixed-window', 'token-bucket'] as const;

/** The same of limits that can be leased, most of whose questions can be answered by a slice. */
export const leasableScenes = scenesOf(
  placeOf(
    fc
      .constantFrom(...LEASABLE)
      .chain((algorithm) => fc.array(strictLimits[algorithm], { minLength: 1, maxLength: 2 })),
    0,
  ),
  step.map((step) => (step.verb === 'ask' && step.pick % 8 > 0 ? plainly(step) : withoutMargins(step))),
  reset,
);

function plainly(step: Extract<Step, { verb: 'ask' }>): Step {
  const amounts = step.amounts.map(() => ({ units: 1 + (step.pick % 2) }));
  const plain = { mode: 'spend', id: 'none', holdMs: undefined, atLeast: undefined, deadlineMs: undefined } as const;
  return { ...step, ...plain, mask: 15, amounts, margins: [] };
}

/** Stores that count apart from the one behind them take no margins, and neither do guarantees. */
function withoutMargins(step: Step): Step {
  return 'margins' in step ? { ...step, margins: [] } : step;
}
