import { boundOf, type Limit } from '@sluice/core';
import { ALGORITHMS } from '@sluice/core/src/algorithms/definitions';
import { LONGEST_MS } from '@sluice/core/src/values/duration';
import { ipKey } from '@sluice/http/keys/ip-key';
import { isShared } from './describe.js';
import { largestCostOf, limitOf } from './policy.js';
import type { PlayedOutcome, Run } from './run.js';
import type { LimitState, State } from './state.js';

/** What a limit let through at most, beside the worst case that it promises. */
export interface WorstWindow {
  /** The length that was looked at: the window of the limit, or the time in which a bucket fills. */
  readonly windowMs: number;
  /** The most units that were admitted within this length; of a concurrency limit, the most slots that were held. */
  readonly measured: number;
  /** When it began, in milliseconds since the traffic began. */
  readonly fromMs: number;
  /** What `boundOf` says; Infinity if the limit refuses nobody. */
  readonly bound: number;
}

/** Measures the worst window of each limit. Use it only for a run without a problem. */
export function worstWindows(state: State, run: Run): WorstWindow[] {
  const largestCost = largestCostOf(run.traffic.clients);
  return state.limits.map((form, index) => {
    const limit = limitOf(form);
    const windowMs = lengthOf(limit);
    const measured = limit.algorithm === 'concurrency' ? mostSlots(run, form) : mostUnits(run, form, index, windowMs);
    return { windowMs, ...measured, bound: boundFor(form, limit, windowMs, largestCost) };
  });
}

/** The time in which a bucket refills: rounded up, so that fields can state it, and no longer than a duration may be. */
function lengthOf(limit: Limit): number {
  if (limit.windowMs !== undefined) return limit.windowMs;
  const ms = Math.ceil(ALGORITHMS[limit.algorithm]?.headerWindowMs(limit as never) ?? 1000);
  return Math.min(LONGEST_MS, Math.max(1000, ms));
}

function boundFor(form: LimitState, limit: Limit, windowMs: number, cost: number): number {
  if (form.enforce !== 'refuse') return Number.POSITIVE_INFINITY;
  const guarantee = form.part > 0 ? { guaranteed: form.parts, lend: form.lend / 100 } : {};
  const over = form.elastic > 0 ? form.elastic - form.quota : Math.floor((form.quota * form.tolerance) / 100);
  return boundOf(limit, windowMs, { cost, ...guarantee, ...(over > 0 && { margin: over }) });
}

/** Units that were spent by one key at a time. */
interface Spent {
  readonly atMs: number;
  readonly units: number;
}

type Most = Pick<WorstWindow, 'measured' | 'fromMs'>;

const NOTHING: Most = { measured: 0, fromMs: 0 };

function mostUnits(run: Run, form: LimitState, index: number, windowMs: number): Most {
  const spent = byKey(run, form, (outcome) => ({ atMs: spentMs(outcome, form, index), units: outcome.cost }));
  return spent.map((one) => mostWithin(one, windowMs)).reduce(larger, NOTHING);
}

/** A leaky bucket counts departures, and delays by itself alone. Every other limit counts when it decides. */
function spentMs({ decidedMs, decision }: PlayedOutcome, { algorithm }: LimitState, index: number): number {
  const delayMs = algorithm === 'leaky-bucket' ? (decision?.verdicts[index]?.delayMs ?? 0) : 0;
  return decidedMs + delayMs;
}

/** Several addresses of a log can be one key: those of one IPv6 network are. */
function byKey(
  { outcomes, traffic: { clients } }: Run,
  form: LimitState,
  spent: (outcome: PlayedOutcome) => Spent,
): readonly (readonly Spent[])[] {
  const keys = new Map<string, Spent[]>();
  for (const outcome of outcomes) {
    if (outcome.fate === 'refused') continue;
    const key = isShared(form) ? '' : ipKey(clients[outcome.client]?.ip ?? '')[1];
    const known = keys.get(key);
    if (known) known.push(spent(outcome));
    else keys.set(key, [spent(outcome)]);
  }
  return [...keys.values()].map((list) => list.sort((a, b) => a.atMs - b.atMs));
}

/** Two pointers: each window begins with a request. */
function mostWithin(spent: readonly Spent[], windowMs: number): Most {
  let most = NOTHING;
  let sum = 0;
  let first = 0;
  for (const { atMs, units } of spent) {
    sum += units;
    for (; atMs - (spent[first] as Spent).atMs >= windowMs; first += 1) sum -= (spent[first] as Spent).units;
    most = larger(most, { measured: sum, fromMs: (spent[first] as Spent).atMs });
  }
  return most;
}

function mostSlots(run: Run, form: LimitState): Most {
  const begun = byKey(run, form, ({ decidedMs }) => ({ atMs: decidedMs, units: 1 }));
  const ended = byKey(run, form, ({ endedMs, client }) => ({
    atMs: endedMs + (run.traffic.clients[client]?.runs ?? 0),
    units: -1,
  }));
  return begun
    .map((one, key) => {
      // At the same time, a slot is freed before it is taken again.
      const changes = [...(ended[key] ?? []), ...one].sort((a, b) => a.atMs - b.atMs);
      let held = 0;
      let most = NOTHING;
      for (const { atMs, units } of changes) {
        held += units;
        most = larger(most, { measured: held, fromMs: atMs });
      }
      return most;
    })
    .reduce(larger, NOTHING);
}

const larger = (one: Most, other: Most): Most => (other.measured > one.measured ? other : one);
