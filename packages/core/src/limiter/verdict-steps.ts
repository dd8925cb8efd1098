import { ALGORITHMS } from '../algorithms/definitions.js';
import type { LimitCheck, StoreVerdict } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { guaranteeStep } from './guarantee.js';
import { isMarked } from './mark.js';
import type { Item } from './policy/parse.js';
import type { SlowDown } from './policy/slow-down.js';

/**
 * Completes the verdict that a store gave about one limit of a policy: with whether it was guaranteed, its unit, whether it
 * marks the decision, and how long it slows the request down.
 */
export type VerdictStep = (
  verdict: StoreVerdict,
  check: LimitCheck,
  isPeek: boolean,
  source: Decision['source'],
) => Verdict;

/** Returns the step of each limit; undefined if the verdicts of all limits are complete. */
export function verdictSteps(items: readonly Item<never>[]): readonly VerdictStep[] | undefined {
  if (items.every(isComplete)) return undefined;
  return items.map(({ quotaUnit, slowDown, guarantee }) => {
    const guaranteed = guarantee && guaranteeStep();
    return (verdict, check, isPeek, source) => {
      const whole = guaranteed ? guaranteed(verdict, source) : verdict;
      return delayed(marked(withUnit(whole, quotaUnit), check), slowDown, isPeek);
    };
  });
}

/** Whether a store's verdict about an item says everything. */
function isComplete({ quotaUnit, enforce, slowDown, guarantee }: Item<never>): boolean {
  const isNeverMarked = typeof enforce === 'number';
  return quotaUnit === undefined && isNeverMarked && slowDown === undefined && guarantee === undefined;
}

/** Returns the verdict with its unit. A tier may have chosen a limit with a unit of its own, or without one. */
function withUnit(verdict: Verdict, quotaUnit: string | undefined): Verdict {
  if (quotaUnit === undefined) return verdict;
  const definition = ALGORITHMS[verdict.limit.algorithm];
  if (definition === undefined || definition.quotaUnit !== undefined) return verdict;
  return { ...verdict, quotaUnit };
}

/** A repeated response may be of a time when the limit was still enforced, and marks nothing then. */
function marked(verdict: Verdict, check: LimitCheck): Verdict {
  return verdict.shadow && isMarked(check) ? { ...verdict, marked: true } : verdict;
}

function delayed(verdict: Verdict, slowDown: SlowDown | undefined, isPeek: boolean): Verdict {
  // Guaranteed units of a tenant do not wait because of the use of others.
  if (!slowDown || !verdict.allowed || verdict.guaranteed) return verdict;
  const delayMs = delayOf(verdict, slowDown, isPeek);
  return delayMs > verdict.delayMs ? { ...verdict, delayMs } : verdict;
}

/** A peek has spent nothing, so its own cost is added to what is used. */
function delayOf({ used, cost }: Verdict, { after, byMs, upToMs }: SlowDown, isPeek: boolean): number {
  const beyond = used + (isPeek ? cost : 0) - after;
  if (beyond <= 0) return 0;
  // Multiplied only if the product is at most upToMs, so that it is exact.
  return beyond > upToMs / byMs ? upToMs : beyond * byMs;
}
