import type { Decision, Verdict } from '@sluice/core';
import { heldNameOf } from '../plan/held-limits.js';
import type { NamedLimit } from '../plan/limit-names.js';

/**
 * Why a call was refused.
 *
 * - `'rate'`: a limit that is soon fresh again
 * - `'budget'`: a limit of money, or of a day
 * - `'held'`: a limit of money that has room for the call, if the calls under way did not hold it
 * - `'size'`: the call is larger than a limit or a budget, so waiting does not help
 * - `'blocked'`: the key is blocked by hand
 * - `'unavailable'`: no limit refused: the store failed, or too many requests wait
 */
type RefusalKind = 'rate' | 'budget' | 'held' | 'size' | 'blocked' | 'unavailable';

/** A limit that refused, and what is known about it. It is no limit of a plan if the application has added it. */
export interface RefusingLimit {
  readonly verdict: Verdict;
  readonly limit: NamedLimit | undefined;
  /** Whether only what calls under way hold is in the way. They give most of it back when they end. */
  readonly isHeld: boolean;
}

/** A refusal of a call. */
export interface CallRefusal {
  readonly kind: RefusalKind;
  /** The enforced limits that refused, in the order of the policy. */
  readonly refusing: readonly RefusingLimit[];
  /** The one that matters most: one of `kind`, with the longest wait. Undefined if none refused. */
  readonly main: RefusingLimit | undefined;
  /** Milliseconds until it makes sense to come again; undefined if nobody knows, or if it never does. */
  readonly retryAfterMs: number | undefined;
}

/** A slot is freed, and a hold given back, when a call ends, which no clock can predict. */
const CALL_END_RETRY_MS = 1000;

/** Returns why a decision refused a call. */
export function callRefusal(decision: Decision, limits: ReadonlyMap<string, NamedLimit>): CallRefusal {
  const refusing = decision.verdicts
    .filter(({ allowed, shadow }) => !allowed && !shadow)
    .map((verdict): RefusingLimit => {
      const limit = limits.get(verdict.name);
      return { verdict, limit, isHeld: limit?.dimension.counts === 'money' && isHeld(verdict, decision) };
    });
  const isUnavailable = refusing.length === 0 || decision.source === 'deny';
  if (isUnavailable) return { kind: 'unavailable', refusing: [], main: undefined, retryAfterMs: undefined };
  const kind = kindOf(refusing);
  const [main] = refusing.filter((one) => kindOf([one]) === kind).sort((a, b) => waitMs(b) - waitMs(a));
  const longestMs = Math.max(...refusing.map(waitMs));
  return { kind, refusing, main, retryAfterMs: Number.isFinite(longestMs) ? longestMs : undefined };
}

/** The kind that lasts longest decides. */
function kindOf(refusing: readonly RefusingLimit[]): RefusalKind {
  if (refusing.some(({ verdict }) => verdict.blocked)) return 'blocked';
  if (refusing.some(isTooSmall)) return 'size';
  if (refusing.some((one) => isBudget(one) && !one.isHeld)) return 'budget';
  if (refusing.some((one) => one.isHeld)) return 'held';
  return refusing.some(({ verdict }) => verdict.retryAfterMs === 'never') ? 'size' : 'rate';
}

/** Whether the call can never fit into the limit. A limit of 0 says that nothing is allowed, whatever its size. */
function isTooSmall({ verdict }: RefusingLimit): boolean {
  return verdict.cost > verdict.limit.quota && verdict.limit.quota > 0;
}

/** Whether a budget has room for a call beside what was spent. A count beside it says how much of its money is only held. */
function isHeld({ name, used, cost, limit }: Verdict, { verdicts }: Decision): boolean {
  const held = verdicts.find((verdict) => verdict.name === heldNameOf(name))?.used ?? 0;
  return held > 0 && Math.max(0, used - held) + cost <= limit.quota;
}

/** Whether a budget refused: it is used up, or too small for the call. */
export function isByBudget({ kind, main }: CallRefusal): boolean {
  return kind === 'budget' || (kind === 'size' && main !== undefined && isBudget(main));
}

function isBudget({ limit }: RefusingLimit): boolean {
  return limit?.dimension.counts === 'money' || limit?.dimension.period === 'day';
}

function waitMs({ verdict, limit, isHeld }: RefusingLimit): number {
  if (isHeld || limit?.dimension.counts === 'slots') return CALL_END_RETRY_MS;
  return verdict.retryAfterMs === 'never' ? Number.POSITIVE_INFINITY : verdict.retryAfterMs;
}
