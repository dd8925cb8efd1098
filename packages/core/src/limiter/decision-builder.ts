// Why it is so: docs/why/verdicts.md

import { ALGORITHMS } from '../algorithms/definitions.js';
import { allowedVerdict, LAID_OUT_VERDICTS, type LimitAnswer, verdictOf } from '../stores/reply.js';
import type { LimitCheck } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { usesSlots } from '../values/limit.js';
import {
  ALLOWED,
  type LimitCounts,
  MOST_TENTHS,
  type PolicyCounts,
  REFUSED,
  REFUSED_CHECKS,
  SHADOWED,
  SOURCES,
  SPENT,
  TENTHS,
  WOULD_REFUSE,
} from '../values/policy-counts.js';
import type { Item } from './policy/parse.js';

/** The wait of a refused caller if no store can say how long it is. */
const DENIED_RETRY_MS = 1000;

/** Refuses in place of a failed store. Nobody knows what counts there, so `used` is 0. */
export const DENIED: LimitAnswer = {
  allowed: false,
  remaining: 0,
  used: 0,
  resetAfterMs: DENIED_RETRY_MS,
  retryAfterMs: DENIED_RETRY_MS,
  delayMs: 0,
};

/** Makes a Decision from the verdicts of its limits. */
export function decide(policy: string, verdicts: readonly Verdict[], source: Decision['source']): Decision {
  if (verdicts.length === 1) return decideOne(policy, verdicts, verdicts[0] as Verdict, source);
  const enforced = verdicts.filter(({ shadow }) => !shadow);
  const refused = enforced.filter(({ allowed }) => !allowed);
  const decision: Decision = {
    policy,
    allowed: refused.length === 0,
    verdicts,
    tightest: (enforced.length > 0 ? enforced : verdicts).reduce((tightest, other) =>
      isTighter(other, tightest) ? other : tightest,
    ),
    retryAfterMs:
      refused.length === 0
        ? 0
        : verdicts
            .filter(delaysRetry)
            .map(({ retryAfterMs }) => retryAfterMs)
            .reduce(longer, 0),
    delayMs: Math.max(...enforced.map(({ delayMs }) => delayMs), 0),
    shadowed: verdicts.some(({ shadow, allowed }) => shadow && !allowed),
    source,
  };
  return verdicts.some(isExceeded) ? { ...decision, exceeded: true } : decision;
}

function isExceeded({ marked, allowed }: Verdict): boolean {
  return marked === true && !allowed;
}

/** The common case of one limit, without the lists. */
function decideOne(policy: string, verdicts: readonly Verdict[], only: Verdict, source: Decision['source']): Decision {
  const isRefused = !only.allowed && !only.shadow;
  const decision: Decision = {
    policy,
    allowed: !isRefused,
    verdicts,
    tightest: only,
    retryAfterMs: isRefused ? only.retryAfterMs : 0,
    delayMs: only.shadow ? 0 : only.delayMs,
    shadowed: !only.allowed && only.shadow === true,
    source,
  };
  return isExceeded(only) ? { ...decision, exceeded: true } : decision;
}

/** Decisions with text in their fields for numbers. They come first, and are kept, like `LAID_OUT_VERDICTS`. */
export const LAID_OUT_DECISIONS: readonly Decision[] = LAID_OUT_VERDICTS.map((verdict) =>
  decideOne('', [verdict], { ...verdict, allowed: false }, 'store'),
);

type Wait = number | 'never';

/** Returns the longer of two waits. `'never'` is longer than any other. */
export function longer(a: Wait, b: Wait): Wait {
  return a === 'never' || b === 'never' ? 'never' : Math.max(a, b);
}

/**
 * Whether a refused request has to wait for this limit. That may also be true for a limit that allowed it: if refusals
 * are counted, this request may have taken the last units.
 */
export function delaysRetry({ allowed, shadow, cost, retryAfterMs }: Verdict): boolean {
  return !shadow && (!allowed || (cost > 0 && retryAfterMs !== 0));
}

/**
 * Compares verdicts. Refused ones come first (`'never'`, then the longest retry), then the smallest remaining, then the
 * longest reset, then the first.
 */
export function isTighter(one: Verdict, other: Verdict): boolean {
  if (one.allowed !== other.allowed) return !one.allowed;
  if (!one.allowed) return isLonger(one.retryAfterMs, other.retryAfterMs);
  return one.remaining === other.remaining
    ? isLonger(one.resetAfterMs, other.resetAfterMs)
    : one.remaining < other.remaining;
}

function isLonger(a: Wait, b: Wait): boolean {
  return a !== b && longer(a, b) === a;
}

/** The verdict in place of a failed store. An unlimited tier needs no store. */
export function fallbackVerdict(check: LimitCheck, source: 'allow' | 'deny'): Verdict {
  if (source === 'allow' || check.limit.algorithm === 'unlimited') return allowedVerdict(check);
  return verdictOf(check, DENIED);
}

/** Where a policy counts its decisions: its own counts, and those of its limits in their order. */
export interface Counting {
  readonly policy: PolicyCounts;
  readonly limits: readonly LimitCounts[];
}

/** Counts a decision about a request. */
export function countDecision({ policy, limits }: Counting, { allowed, shadowed, verdicts, source }: Decision): void {
  const outcome = allowed ? (shadowed ? SHADOWED : ALLOWED) : REFUSED;
  add(policy.decisions, source === 'store' ? outcome : outcome + SOURCES.indexOf(source), 1);
  const isCharged = allowed && (source === 'store' || source === 'local');
  for (let i = 0; i < verdicts.length; i += 1)
    countVerdict(limits[i] as LimitCounts, verdicts[i] as Verdict, isCharged);
}

function countVerdict({ numbers, delays }: LimitCounts, verdict: Verdict, isCharged: boolean): void {
  const { allowed, limit, remaining, cost, delayMs } = verdict;
  if (!allowed) {
    add(numbers, verdict.shadow ? WOULD_REFUSE : REFUSED_CHECKS, 1);
    return;
  }
  const { quota } = limit;
  add(numbers, TENTHS + tenthsLeft(remaining, quota), 1);
  if (!isCharged) return;
  if (!usesSlots(limit) && limit.algorithm !== 'unlimited') add(numbers, SPENT, cost);
  if (delayMs > 0) delays.add(delayMs);
}

/** Returns how many tenths of a quota are left, rounded up. The quota may be 0 if a store failed and nothing is refused. */
function tenthsLeft(remaining: number, quota: number): number {
  return remaining < quota ? Math.ceil((MOST_TENTHS * remaining) / quota) : MOST_TENTHS;
}

function add(numbers: Float64Array, place: number, amount: number): void {
  numbers[place] = (numbers[place] as number) + amount;
}

/** Writes the units of a policy's limits into verdicts. There is one verdict per limit, in their order. */
export type UnitWriter = (verdicts: readonly Verdict[]) => readonly Verdict[];

/** Returns the writer of a policy's units; undefined if all units are requests, and verdicts stay as they are. */
export function unitWriter(items: readonly Pick<Item<never>, 'quotaUnit'>[]): UnitWriter | undefined {
  if (items.every(({ quotaUnit }) => quotaUnit === undefined)) return undefined;
  return (verdicts) => verdicts.map((verdict, i) => withUnit(verdict, items[i]?.quotaUnit));
}

/** Returns the verdict with its unit. A tier may have chosen a limit with a unit of its own, or without one. */
function withUnit(verdict: Verdict, quotaUnit: string | undefined): Verdict {
  if (quotaUnit === undefined) return verdict;
  const definition = ALGORITHMS[verdict.limit.algorithm];
  if (definition === undefined || definition.quotaUnit !== undefined) return verdict;
  return { ...verdict, quotaUnit };
}
