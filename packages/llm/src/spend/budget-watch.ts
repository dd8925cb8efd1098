import { type Decision, type SluiceEvents, type Store, subscribe, type Verdict, wallClock } from '@sluice/core';
import { checkFunction, checkOptions, MONEY, optionError } from '@sluice/core/values';
import { heldNameOf } from '../plan/held-limits.js';
import { type BudgetReport, OwnReports, SharedReports, windowMsOf } from './budget-reports.js';

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
  /**
   * The store that the processes share. It marks what was reported, so that one process alone reports it. Default: none; each process
   * then reports what its own calls pass.
   */
  readonly store?: Store;
  /**
   * The name of the policy that has these marks. Two watches of one store need two names, and then each gets all reports. Default:
   * `'budget-thresholds'`.
   */
  readonly name?: string;
}

const THRESHOLDS: readonly number[] = [0.5, 0.8, 1];

type DecisionEvent = SluiceEvents['sluice:decision'];

/**
 * Reports when budgets reach 50, 80 and 100 % of their money. Works for every policy of this process that has limits of `createLlm`, or
 * limits whose `quotaUnit` is `'micro-dollars'`. What calls under way hold counts. 100 % is reported when a budget is full, or a call is
 * refused because of what was spent.
 *
 * With a `store`, a threshold is reported once for each window, by one of all processes that share the store. The first process that sees
 * it passed marks it there, with one small write; each other process asks at most once more. If the store fails, each process reports:
 * better twice than never. What a call was charged above what it held is seen by the next decision about that budget.
 *
 * Without a `store`, a process reports a threshold once for each window if one of its own calls passes it, and 100 % also if it refuses a
 * call.
 *
 * @returns a function that stops
 * @throws SluiceError `SLUICE_OPTION` if the listener is no function, a threshold is not above 0 and at most 1, or the store is none;
 * `SLUICE_DUPLICATE_NAME` if another watch of this store has the name
 * @example
 * const stop = watchBudgets(({ limit, threshold, key }) => log.warn({ limit, key }, `${threshold * 100} % of a budget is used`));
 */
export function watchBudgets(listener: (event: BudgetReached) => void, options: BudgetWatchOptions = {}): () => void {
  const watch = new BudgetWatch(listener, options);
  return subscribe('sluice:decision', (event) => watch.look(event));
}

/** What one process reports. It looks at the decisions of the process. */
export class BudgetWatch {
  readonly #listener: (event: BudgetReached) => void;
  readonly #thresholds: readonly number[];
  readonly #own = new OwnReports();
  readonly #shared: SharedReports | undefined;

  /** As `watchBudgets`. */
  constructor(listener: (event: BudgetReached) => void, options: BudgetWatchOptions) {
    checkFunction(listener, 'listener');
    checkOptions(options, ['thresholds', 'store', 'name']);
    const { thresholds = THRESHOLDS, store, name = 'budget-thresholds' } = options;
    if (!Array.isArray(thresholds) || !thresholds.every((part) => part > 0 && part <= 1)) {
      throw optionError('thresholds', 'must be a list of numbers above 0 and at most 1', thresholds);
    }
    this.#listener = listener;
    this.#thresholds = thresholds;
    this.#shared = store && new SharedReports(store, name, listener);
  }

  look(event: DecisionEvent): void {
    event.decision.verdicts.forEach((verdict, place) => {
      if (verdict.quotaUnit !== MONEY || verdict.limit.quota === 0) return;
      for (const threshold of this.#thresholds) {
        if (isReached(event.decision, verdict, threshold, this.#shared !== undefined)) {
          this.#note(event, place, threshold);
        }
      }
    });
  }

  #note(event: DecisionEvent, place: number, threshold: number): void {
    const { policy, verdicts } = event.decision;
    const { name, limit } = verdicts[place] as Verdict;
    const key = event.encodedKeys[place] ?? '';
    const id = JSON.stringify([policy, name, key, threshold, windowOf(event, place)]);
    if (!this.#own.isFirst(id)) return;
    const reached = reachedOf(event, place, threshold);
    if (this.#shared) void this.#reportFirst(this.#shared, { id, limit }, reached);
    else this.#listener(reached);
  }

  async #reportFirst(shared: SharedReports, report: BudgetReport, reached: BudgetReached): Promise<void> {
    if (await shared.isFirst(report)) this.#listener(reached);
  }
}

/**
 * Whether a decision shows that a budget has reached a part of its money.
 *
 * @param isShared - whether it matters who has taken it there. Decisions are one after another, so one of them has.
 */
function isReached(decision: Decision, verdict: Verdict, threshold: number, isShared: boolean): boolean {
  const { used, cost, limit } = verdict;
  const line = Math.ceil(limit.quota * threshold);
  if (used >= line && (isShared || (decision.allowed && used - cost < line))) return true;
  if (decision.allowed || threshold < 1) return false;
  // A refused call has spent nothing. It shows that the budget is used up, unless calls under way only hold it.
  return !verdict.allowed && cost <= limit.quota && used - heldIn(decision, verdict) + cost > limit.quota;
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

/**
 * Names the window of a budget, alike in all processes. A fixed window has an end, to the millisecond of the store's clock. Other limits
 * have none, and what a decision service has decided comes without its time: intervals of the same length stand for windows there.
 */
function windowOf({ decision, timesMs }: DecisionEvent, place: number): number | 'never' {
  const { limit, resetAfterMs } = decision.verdicts[place] as Verdict;
  if (resetAfterMs === 'never') return 'never';
  const atMs = timesMs[place];
  if (atMs !== undefined && limit.algorithm === 'fixed-window') return atMs + resetAfterMs;
  return Math.round(((atMs ?? wallClock.now()) + resetAfterMs) / windowMsOf(limit));
}
