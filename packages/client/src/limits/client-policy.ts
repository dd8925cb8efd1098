// Why it is so: core/docs/why/outgoing-calls.md

import {
  createLimiter,
  type Limit,
  type Limiter,
  type LimitItem,
  type Store,
  tokenBucket,
  unlimited,
  type Verdict,
} from '@sluice/core';
import type { AdaptiveSettings } from './adaptive-concurrency.js';
import type { KeyState } from './key-state.js';
import { MOST_POLICIES } from './learned-policies.js';
import { currentSteps, LEAST_STEPS, type Lengthening } from './lengthening.js';
import { slots } from './slots.js';
import { spacingMs, stretched } from './stretched.js';

/** What a client limits by. */
export interface ClientLimits {
  readonly name: string;
  readonly store: Store;
  /** A limit of the client's own, beside those that servers state. */
  readonly limit: Limit | undefined;
  readonly isEven: boolean;
  /** How many requests are under way in all processes. */
  readonly concurrency?: number;
  /** How each process finds by itself how many are under way. */
  readonly adaptive?: AdaptiveSettings;
}

/** Units to charge afterwards. */
interface Charges extends Partial<Lengthening> {
  /** By the slot of the policy. */
  readonly policies?: ReadonlyMap<number, number>;
}

/** A request, or a charge after it. */
export interface Outgoing {
  readonly state: KeyState;
  readonly charges?: Charges;
}

/** The name of the item that sends one request after the other. */
const EVEN = 'even';

/** How long the steps take to come back if no window is known. */
const DEFAULT_WINDOW_MS = 60_000;

type Item = LimitItem<[subject: Outgoing]>;

const keyOf = ({ state }: Outgoing): KeyState['key'] => state.key;

/** What a request costs, where a charge costs nothing. */
const oneEach = ({ charges }: Outgoing): number => (charges ? 0 : 1);

/**
 * The limiter of a client. Its first items are the policies of servers, by their slots: a free slot counts nothing. Then
 * come two that only hold numbers, and those of the options.
 */
export function clientLimiter({ name, store, limit, isEven, concurrency }: ClientLimits): Limiter<Outgoing> {
  const steps = ({ state }: Outgoing): number => state.steps;
  const learned = Array.from(
    { length: MOST_POLICIES },
    (_, slot): Item => ({
      name: `learned-${slot + 1}`,
      limit: (subject) => subject.state.policies.limitOf(slot, steps(subject)),
      // By the name as well, in case that two processes found different slots for it.
      keyGenerator: ({ state }) => [state.key, state.policies.nameOf(slot) ?? ''],
      cost: ({ charges }) => (charges ? (charges.policies?.get(slot) ?? 0) : 1),
    }),
  );
  const items: Item[] = [
    ...learned,
    {
      name: 'steps',
      limit: ({ state }) => stepsBucket(state.policies.shortestMs ?? windowOf(limit)),
      cost: ({ charges }) => charges?.current ?? 0,
    },
    { name: 'least-steps', limit: LEAST_STEPS, cost: ({ charges }) => charges?.least ?? 0 },
  ];
  if (limit) items.push({ name: limit.name ?? 'own', limit: stretcher(limit), cost: oneEach });
  if (isEven) items.push({ name: EVEN, limit: spacer(limit), cost: oneEach });
  if (concurrency !== undefined) items.push({ name: 'concurrency', limit: slots(concurrency) });
  return createLimiter<Outgoing>({ name, store, keyGenerator: keyOf, limits: items });
}

/** Reads the numbers of a key from the verdicts of its limiter. */
export function lengtheningOf(verdicts: readonly Verdict[]): Lengthening {
  return { current: verdicts[MOST_POLICIES]?.used ?? 0, least: verdicts[MOST_POLICIES + 1]?.used ?? 0 };
}

/**
 * Returns how long the limits need that refuse a request, if what the server has stated is believed for no longer than
 * `beliefMs`. A block is no matter of belief.
 */
export function neededMs(verdicts: readonly Verdict[], beliefMs: number): number | 'never' {
  const times = verdicts.map(({ name, allowed, blocked, retryAfterMs }, item) => {
    if (allowed) return 0;
    const ms = retryAfterMs === 'never' ? Number.POSITIVE_INFINITY : retryAfterMs;
    return !blocked && (item < MOST_POLICIES || name === EVEN) ? Math.min(ms, beliefMs) : ms;
  });
  const longestMs = Math.max(...times);
  return longestMs === Number.POSITIVE_INFINITY ? 'never' : longestMs;
}

/** The windows that a limit of the client's own has. */
function windowOf(limit: Limit | undefined): number {
  return limit?.windowMs ?? DEFAULT_WINDOW_MS;
}

const stepsBucket = remembered((windowMs: number) => currentSteps(windowMs));

/** Returns the client's own limit at the steps of a key. */
function stretcher(limit: Limit): (subject: Outgoing) => Limit {
  const at = remembered((steps: number) => stretched(limit, steps));
  return ({ state }) => at(state.steps);
}

/** Returns a limit that sends one request after the other, as far apart as the slowest of the limits needs. */
function spacer(own: Limit | undefined): (subject: Outgoing) => Limit {
  const ownMs = own ? spacingMs(own) : 0;
  const every = remembered((ms: number) => tokenBucket({ capacity: 1, refillRate: 1, refillInterval: ms }));
  return ({ state }) => {
    const apartMs = Math.ceil(Math.max(ownMs * (1 + state.steps / 100), state.policies.spacingMs));
    return apartMs > 0 ? every(apartMs) : unlimited();
  };
}

/** How many limits are kept. */
const MOST_LIMITS = 1024;

/** Makes the limit of each number once. */
function remembered(make: (of: number) => Limit): (of: number) => Limit {
  const made = new Map<number, Limit>();
  return (of) => {
    let limit = made.get(of);
    if (!limit) {
      limit = make(of);
      if (made.size >= MOST_LIMITS) made.clear();
      made.set(of, limit);
    }
    return limit;
  };
}
