import type { LimitNumbers } from '../../tape/tape.js';
import type { Draws } from './draws.js';

export type AlgorithmName = LimitNumbers['algorithm'];

/** How often each algorithm is drawn. */
const ALL: readonly (readonly [weight: number, AlgorithmName])[] = [
  [5, 'sliding-window'],
  [3, 'sliding-window-log'],
  [3, 'sliding-window-counter'],
  [4, 'fixed-window'],
  [11, 'token-bucket'],
  [2, 'leaky-bucket'],
  [6, 'concurrency'],
];

export const ALGORITHM_NAMES: readonly AlgorithmName[] = ALL.map(([, name]) => name);

/** The least and the longest time that is drawn, in milliseconds: a tenth of a second, and an hour. */
export const SHORTEST_MS = 100;
export const LONGEST_MS = 3_600_000;

/** A slot that is held for the whole run is renewed that many times at most, or so: it would take most of the time of a campaign. */
const LEASES_IN_A_TYPICAL_TIME = 10;

/** The largest limit of a log. */
export const LARGEST_LOG = 10_000;

/** What a limit may be. */
export interface LimitBounds {
  readonly algorithms: readonly AlgorithmName[];
  /** The times of a run are of a length like this. */
  readonly typicalMs: number;
  /** Set behind a store that spends units this much later: a bucket has to hold more than what refills meanwhile. */
  readonly leaseMs: number;
  /** Whether many share it, so that it is likely to be large. */
  readonly isPopular: boolean;
  /** How many units it has at most, if others limit it anyway. */
  readonly most?: number;
}

/** Draws a limit that a few calls can reach. */
export function drawLimit(
  draws: Draws,
  { algorithms, typicalMs, leaseMs, isPopular, most }: LimitBounds,
): LimitNumbers {
  const algorithm = draws.weighted(ALL.filter(([, name]) => algorithms.includes(name)));
  const drawn = most === undefined ? drawUnits(draws, isPopular) : draws.scaled(Math.max(1, most / 6), most);
  const units = algorithm === 'sliding-window-log' ? Math.min(drawn, LARGEST_LOG) : drawn;
  switch (algorithm) {
    case 'token-bucket':
      return drawTokenBucket(draws, units, typicalMs, leaseMs);
    case 'leaky-bucket':
      return { algorithm, capacity: units, leakRate: rateThatFills(units, drawSpan(draws, typicalMs)) };
    case 'concurrency': {
      const leastMs = Math.max(1000, Math.ceil(typicalMs / LEASES_IN_A_TYPICAL_TIME));
      return {
        algorithm,
        limit: Math.min(units, 12),
        leaseMs: draws.scaled(leastMs, Math.max(leastMs, 2 * typicalMs)),
      };
    }
    default: {
      const windowMs = drawSpan(draws, typicalMs);
      return {
        algorithm,
        limit: units,
        windowMs,
        ...(algorithm === 'fixed-window' && draws.happens(0.6) && { align: draws.of(['first-request', 'clock']) }),
        ...(draws.happens(0.12) && { countRejected: draws.of([true, 'always'] as const) }),
        ...drawBlock(draws, windowMs),
      };
    }
  }
}

/** Whoever leases a limit, or needs several servers, mostly has a large one. */
function drawUnits(draws: Draws, isPopular: boolean): number {
  if (isPopular && draws.happens(0.8)) return draws.scaled(100, 2000);
  if (draws.happens(0.08)) return draws.whole(100, 200);
  if (draws.happens(0.02)) return 0;
  return draws.scaled(1, 30);
}

/** Draws a length of time near the typical one of the run. One of six is of any length up to it. */
function drawSpan(draws: Draws, typicalMs: number): number {
  const spanMs = draws.happens(1 / 6)
    ? draws.scaled(SHORTEST_MS, 2 * typicalMs)
    : draws.scaled(typicalMs / 5, 2 * typicalMs);
  return asPeopleWrite(draws, Math.min(LONGEST_MS, Math.max(SHORTEST_MS, spanMs)));
}

/** Half of the lengths are round, as people write them: the clocks of windows then meet. */
function asPeopleWrite(draws: Draws, ms: number): number {
  if (draws.happens(0.5)) return ms;
  const step = ms >= 60_000 ? 60_000 : ms >= 1000 ? 1000 : 100;
  return Math.max(step, Math.round(ms / step) * step);
}

function drawTokenBucket(draws: Draws, units: number, typicalMs: number, leaseMs: number): LimitNumbers {
  const spanMs = drawSpan(draws, typicalMs);
  const block = drawBlock(draws, spanMs);
  if (draws.happens(0.25)) {
    const kept = draws.happens(0.85) && { keepForMs: drawSpan(draws, typicalMs) };
    return { algorithm: 'token-bucket', capacity: units, refillRate: 0, ...kept, ...block };
  }
  const refillRate = rateThatFills(units, spanMs);
  const capacity = leaseMs === 0 ? units : units + Math.ceil((refillRate * leaseMs) / 1000) + 1;
  return { algorithm: 'token-bucket', capacity, refillRate, ...block };
}

function drawBlock(draws: Draws, spanMs: number): { readonly blockMs?: number } {
  return draws.happens(0.1) ? { blockMs: draws.scaled(Math.max(1, spanMs / 10), spanMs * 3) } : {};
}

/** Returns units per second, with two figures, that fill a bucket in about this time. */
function rateThatFills(units: number, spanMs: number): number {
  return Math.max(0.001, Number(((Math.max(1, units) * 1000) / spanMs).toPrecision(2)));
}

/** Returns after which time a limit has forgotten what was spent. */
export function spanOf(limit: LimitNumbers): number {
  switch (limit.algorithm) {
    case 'token-bucket':
      if (limit.refillRate === 0) return limit.keepForMs ?? LONGEST_MS;
      return Math.ceil((limit.capacity * 1000) / limit.refillRate);
    case 'leaky-bucket':
      return Math.ceil((limit.capacity * 1000) / limit.leakRate);
    case 'concurrency':
      return limit.leaseMs;
    default:
      return limit.windowMs;
  }
}

/** Returns how many units a limit admits at once. */
export function unitsOf(limit: LimitNumbers): number {
  return 'capacity' in limit ? limit.capacity : limit.limit;
}
