import type { LimitNumbers, LimitSetup, PolicySetup } from '../../tape/tape.js';
import type { Draws } from './draws.js';
import { type AlgorithmName, drawLimit, LARGEST_LOG, SHORTEST_MS, unitsOf } from './limits.js';
import type { DrawnStore } from './stores.js';

const LIMIT_NAMES = ['a', 'b', 'c'] as const;

/** Algorithms whose units come back to a part at the moment at which they come back to the whole. */
const DIVISIBLE: readonly AlgorithmName[] = [
  'sliding-window',
  'sliding-window-log',
  'fixed-window',
  'token-bucket',
  'concurrency',
];

/** How many tenants share a guarantee at most. Their parts add up to its total. */
export const MOST_TENANTS = 4;

/** Several nodes matter to a policy that counts by several subjects. Most of those over a sharded store do. */
const SPREAD_PART = 0.85;
const BY_TURNS: readonly LimitSetup['by'][] = ['everyone', 'subject'];

/** Draws the policies of a run, which its store can count. */
export function drawPolicies(draws: Draws, store: DrawnStore, typicalMs: number): readonly PolicySetup[] {
  const count = draws.happens(0.3) ? 2 : 1;
  return Array.from({ length: count }, (_, i) => drawPolicy(draws, `p${i}`, store, typicalMs));
}

function drawPolicy(draws: Draws, name: string, store: DrawnStore, typicalMs: number): PolicySetup {
  const isSpread = store.isSharded && draws.happens(SPREAD_PART);
  const count = isSpread
    ? draws.weighted([[3, 2] as const, [1, 3] as const])
    : draws.weighted([[6, 1] as const, [3, 2] as const, [1, 3] as const]);
  const first: LimitSetup[] = [];
  for (let i = 0; i < count; i += 1) {
    const by = isSpread && { by: BY_TURNS[i % BY_TURNS.length] as LimitSetup['by'] };
    const context = { store, typicalMs, others: first, ...by };
    first.push(drawLimitSetup(draws, LIMIT_NAMES[i] ?? 'a', isSpread ? asShared(draws, context) : context));
  }
  const variants: (readonly LimitSetup[])[] = [first];
  if (draws.happens(0.3)) variants.push(drawVariant(draws, first, store, typicalMs));
  if (draws.happens(0.08)) variants.push(drawVariant(draws, first, store, typicalMs));
  return { name, onStoreError: draws.of(['local', 'local', 'allow', 'deny'] as const), variants };
}

/** What all share mostly comes back long before what each may have, which is a large part of it, or more. Often it is a bucket. */
function asShared(draws: Draws, context: LimitContext): LimitContext {
  const { others, by } = context;
  if (by === 'everyone') return draws.happens(0.8) ? { ...context, ...asRefilled(draws, context) } : context;
  const shared = others.find((other) => other.by === 'everyone');
  return shared && draws.happens(0.7) ? { ...context, most: 3 * unitsOf(shared.limit) } : context;
}

function asRefilled(draws: Draws, { store, typicalMs }: LimitContext): Partial<LimitContext> {
  const isBucket = store.algorithms.includes('token-bucket') && draws.happens(0.7);
  return {
    typicalMs: Math.max(SHORTEST_MS, typicalMs / 10),
    ...(isBucket && { store: { ...store, algorithms: ['token-bucket'] } }),
  };
}

interface LimitContext {
  readonly store: DrawnStore;
  readonly typicalMs: number;
  /** The limits of the policy so far. */
  readonly others: readonly LimitSetup[];
  /** What the limit counts by, if that is known: when its numbers change, it stays what it was. */
  readonly by?: LimitSetup['by'];
  readonly most?: number;
}

function drawLimitSetup(draws: Draws, name: string, context: LimitContext): LimitSetup {
  const { store, others } = context;
  if (context.by === undefined && store.takesGuarantees && draws.happens(0.12))
    return drawGuarantee(draws, name, context);
  const by = context.by ?? (draws.happens(0.75) ? 'subject' : 'everyone');
  const limit = drawLimit(draws, {
    algorithms: store.algorithms.filter((one) => one !== 'leaky-bucket' || mayLeak(by, context)),
    typicalMs: context.typicalMs,
    leaseMs: store.leaseMs,
    isPopular: store.isSharded || store.leaseMs > 0,
    ...(context.most !== undefined && { most: context.most }),
  });
  const isSlot = limit.algorithm === 'concurrency';
  return {
    name,
    limit,
    by,
    ...(!isSlot &&
      draws.happens(0.12) && {
        cost: draws.weighted([
          [5, 1],
          [1, 0],
          [2, 2],
        ] as const),
      }),
    ...(draws.happens(others.length > 0 ? 0.12 : 0.05) && { enforce: 0 as const }),
    ...(store.takesMargins && draws.happens(0.08) && { tolerance: draws.of([0.1, 0.5, 1]) }),
  };
}

/** A leaky bucket gives nothing back, so one step has to reach all of them. */
function mayLeak(by: LimitSetup['by'], { store, others }: LimitContext): boolean {
  return store.leaksTogether || others.every((other) => other.limit.algorithm !== 'leaky-bucket' || other.by === by);
}

function drawGuarantee(draws: Draws, name: string, { store, typicalMs }: LimitContext): LimitSetup {
  const algorithms = store.algorithms.filter((one) => DIVISIBLE.includes(one));
  const drawn = withoutPenalties(drawLimit(draws, { algorithms, typicalMs, leaseMs: 0, isPopular: false }));
  const units = Math.max(MOST_TENANTS, unitsOf(drawn));
  const limit = 'capacity' in drawn ? { ...drawn, capacity: units } : { ...drawn, limit: units };
  const part = Math.min(draws.scaled(1, 10), Math.floor(units / MOST_TENANTS));
  const guarantee = { part, total: draws.whole(part * MOST_TENANTS, units), lend: draws.of([0, 0, 0.5, 1]) };
  return { name, limit, by: 'everyone', guarantee };
}

/** Returns a limit that may have guaranteed parts. */
function withoutPenalties(limit: LimitNumbers): LimitNumbers {
  switch (limit.algorithm) {
    case 'token-bucket': {
      const { algorithm, capacity, refillRate } = limit;
      return { algorithm, capacity, refillRate: refillRate === 0 ? 1 : refillRate };
    }
    case 'fixed-window':
      return { algorithm: limit.algorithm, limit: limit.limit, windowMs: limit.windowMs, align: 'clock' };
    case 'sliding-window':
    case 'sliding-window-log':
    case 'sliding-window-counter':
      return { algorithm: limit.algorithm, limit: limit.limit, windowMs: limit.windowMs };
    default:
      return limit;
  }
}

/** Changes some limits of a policy: mostly their numbers, sometimes what they are. */
function drawVariant(
  draws: Draws,
  limits: readonly LimitSetup[],
  store: DrawnStore,
  typicalMs: number,
): readonly LimitSetup[] {
  const changed: LimitSetup[] = [];
  for (const one of limits) {
    const isOther = one.guarantee === undefined && draws.happens(0.2);
    const others = [...changed, ...limits.slice(changed.length + 1)];
    if (isOther) changed.push(drawLimitSetup(draws, one.name, { store, typicalMs, others, by: one.by }));
    else changed.push(draws.happens(0.8) ? { ...one, limit: withOtherNumbers(draws, one, store) } : one);
  }
  return changed;
}

/** Makes a limit larger or smaller, or its time longer or shorter. */
function withOtherNumbers(draws: Draws, { limit, guarantee }: LimitSetup, store: DrawnStore): LimitNumbers {
  const factor = draws.of([0.5, 0.5, 2, 2, 1.5, 0.1, 10]);
  const scaled = (units: number) => Math.max(1, guarantee?.total ?? 0, Math.round(units * factor));
  const isTime = draws.happens(0.4);
  switch (limit.algorithm) {
    case 'token-bucket': {
      const refillRate = isTime
        ? Math.max(0.001, Number((limit.refillRate * factor).toPrecision(2)))
        : limit.refillRate;
      if (limit.refillRate === 0)
        return isTime ? withKeepFor(limit, factor) : { ...limit, capacity: scaled(limit.capacity) };
      const least = store.leaseMs === 0 ? 0 : Math.ceil((refillRate * store.leaseMs) / 1000) + 1;
      return { ...limit, refillRate, capacity: Math.max(least, isTime ? limit.capacity : scaled(limit.capacity)) };
    }
    case 'leaky-bucket':
      return isTime
        ? { ...limit, leakRate: Math.max(0.001, Number((limit.leakRate * factor).toPrecision(2))) }
        : { ...limit, capacity: scaled(limit.capacity) };
    case 'concurrency':
      return { ...limit, limit: Math.min(50, scaled(limit.limit)) };
    default:
      return isTime
        ? { ...limit, windowMs: Math.max(10, Math.round(limit.windowMs * factor)) }
        : { ...limit, limit: Math.min(LARGEST_LOG, scaled(limit.limit)) };
  }
}

function withKeepFor(limit: LimitNumbers & { readonly algorithm: 'token-bucket' }, factor: number): LimitNumbers {
  return limit.keepForMs === undefined
    ? limit
    : { ...limit, keepForMs: Math.max(10, Math.round(limit.keepForMs * factor)) };
}
