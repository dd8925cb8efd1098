import { type Clock, type Decision, type SluiceEvents, subscribe, type Verdict } from '@sluice/core';
import { checkFunction } from '@sluice/core/http';
import { checkOptions, clockOf, MONEY, optionError } from '@sluice/core/store';
import { heldNameOf } from '../plan/held-limits.js';

/** A budget has reached a part of what it allows. */
export interface BudgetReached {
  /** The name of the policy. */
  readonly policy: string;
  /** The name of the limit: `perDay`, `org-perMonth`. */
  readonly limit: string;
  /** The part that was reached: 0.5, 0.8 or 1. */
  readonly threshold: number;
  /** The key of the limit, hashed as in `sluice:decision`. */
  readonly key: string;
  /** Micro-dollars that are spent or held. */
  readonly used: number;
  /** Those of them that calls under way hold. */
  readonly held: number;
  /** Micro-dollars that the limit allows. */
  readonly quota: number;
  /** Milliseconds until the budget is fresh; `'never'` if it never is. */
  readonly resetAfterMs: number | 'never';
}

/** Options of `watchBudgets`. */
export interface BudgetWatchOptions {
  /** The parts to report: above 0, at most 1. Default: `[0.5, 0.8, 1]`. */
  readonly thresholds?: readonly number[];
  /** The clock that tells when a window has ended, for tests: that of the store. Default: `wallClock`. */
  readonly clock?: Clock;
}

const THRESHOLDS: readonly number[] = [0.5, 0.8, 1];

/** More budgets than a process meets in a window. The oldest reports are forgotten first. */
const MOST_REPORTS = 100_000;

type DecisionEvent = SluiceEvents['sluice:decision'];

/**
 * Reports when budgets reach 50, 80 and 100 % of their money. Works for every policy of this process that has limits of `createLlm`, or
 * limits whose `quotaUnit` is `'micro-dollars'`.
 *
 * Each decision says what its budgets had before and have after it. So the one process whose call passes a threshold reports it, without
 * a further question to the store, and once for each window. What calls under way hold counts. A process whose call passes a threshold
 * again, because held money was given back, reports it as well if it has not before. 100 % is reported when a budget is full, and by each
 * process that refuses a call because of what was spent.
 *
 * @returns a function that stops
 * @throws SluiceError `SLUICE_OPTION` if the listener is no function, or a threshold is not above 0 and at most 1
 * @example
 * const stop = watchBudgets(({ limit, threshold, key }) => log.warn({ limit, key }, `${threshold * 100} % of a budget is used`));
 */
export function watchBudgets(listener: (event: BudgetReached) => void, options: BudgetWatchOptions = {}): () => void {
  checkFunction(listener, 'listener');
  checkOptions(options, ['thresholds', 'clock']);
  const { thresholds = THRESHOLDS } = options;
  if (!Array.isArray(thresholds) || !thresholds.every((part) => part > 0 && part <= 1)) {
    throw optionError('thresholds', 'must be a list of numbers above 0 and at most 1', thresholds);
  }
  const reports = new Reports(clockOf(options.clock));
  return subscribe('sluice:decision', (event) => {
    event.decision.verdicts.forEach((verdict, place) => {
      if (verdict.quotaUnit !== MONEY || verdict.limit.quota === 0) return;
      for (const threshold of thresholds) {
        if (!reaches(event.decision, verdict, threshold)) continue;
        const reached = reachedOf(event, place, threshold);
        if (reports.isFirst(reached)) listener(reached);
      }
    });
  });
}

/** Whether this decision has taken a budget to a part of its money. Decisions are one after another, so one of them has. */
function reaches(decision: Decision, verdict: Verdict, threshold: number): boolean {
  const { used, cost, limit } = verdict;
  const line = Math.ceil(limit.quota * threshold);
  if (decision.allowed) return used >= line && used - cost < line;
  // A refused call has spent nothing. It shows that the budget is used up, unless calls under way only hold it.
  return (
    threshold === 1 && !verdict.allowed && cost <= limit.quota && used - heldIn(decision, verdict) + cost > limit.quota
  );
}

function heldIn({ verdicts }: Decision, { name }: Verdict): number {
  return verdicts.find((verdict) => verdict.name === heldNameOf(name))?.used ?? 0;
}

function reachedOf({ decision, keys }: DecisionEvent, place: number, threshold: number): BudgetReached {
  const verdict = decision.verdicts[place] as Verdict;
  const { name, used, limit, resetAfterMs } = verdict;
  const key = keys[place] ?? '';
  const held = Math.min(used, heldIn(decision, verdict));
  return { policy: decision.policy, limit: name, threshold, key, used, held, quota: limit.quota, resetAfterMs };
}

/** What was reported in the windows that have not ended. */
class Reports {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether this was not reported before, in the same window. */
  isFirst({ policy, limit, key, threshold, resetAfterMs }: BudgetReached): boolean {
    const id = JSON.stringify([policy, limit, key, threshold]);
    const nowMs = this.#clock.now();
    const isKnown = (this.#untilMs.get(id) ?? Number.NEGATIVE_INFINITY) > nowMs;
    if (isKnown) return false;
    this.#untilMs.delete(id);
    this.#untilMs.set(id, resetAfterMs === 'never' ? Number.POSITIVE_INFINITY : nowMs + resetAfterMs);
    const [oldest] = this.#untilMs.keys();
    if (this.#untilMs.size > MOST_REPORTS && oldest !== undefined) this.#untilMs.delete(oldest);
    return true;
  }
}
