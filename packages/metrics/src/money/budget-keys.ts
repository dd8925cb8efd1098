import type { Clock } from '@sluice/core';
import { getOrCreate } from '@sluice/core/values';
import type { SampleCollector } from '../read/sample.js';

/** A budget of a key has reached a part of what it allows, as `watchBudgets` of `@sluice/llm` reports it. */
export interface ReachedBudget {
  /** The name of the policy. */
  readonly policy: string;
  /** The name of the limit. */
  readonly limit: string;
  /** The part that was reached: 0.5, 0.8 or 1. */
  readonly threshold: number;
  /** Milliseconds until the budget is fresh; `'never'` if it never is. */
  readonly resetAfterMs: number | 'never';
}

/** `watchBudgets` of `@sluice/llm`: calls the listener for each report, and returns what ends it. */
export type BudgetSource = (listener: (budget: ReachedBudget) => void) => () => void;

/** Ends of windows are told apart by the minute, so that a window of any length has few of them. */
const GRAIN_MS = 60_000;

interface Series {
  readonly labels: readonly [policy: string, limit: string, threshold: string];
  /** How many keys, by the end of their window. */
  readonly keysByEndMs: Map<number, number>;
  /** How often a key has reached it, in all windows. */
  times: number;
}

/** Counts the keys that have reached a part of a budget, in its current window and in all windows. It knows no keys. */
export class BudgetKeys {
  readonly #series = new Map<string, Series>();
  readonly #clock: Clock;
  /** Ends the counting. */
  readonly stop: () => void;

  /** @param namesOf - returns the names by which a limit of a policy is shown */
  constructor(source: BudgetSource, namesOf: (policy: string, limit: string) => readonly string[], clock: Clock) {
    this.#clock = clock;
    this.stop = source(({ policy, limit, threshold, resetAfterMs }) => {
      const [shownPolicy = '', shownLimit = ''] = namesOf(policy, limit);
      this.#add([shownPolicy, shownLimit, String(threshold)], resetAfterMs);
    });
  }

  /** Adds the numbers of this moment. A budget whose window has ended is fresh. */
  addTo(collector: SampleCollector): void {
    const nowMs = this.#clock.now();
    for (const { labels, keysByEndMs, times } of this.#series.values()) {
      let keys = 0;
      for (const [endMs, count] of keysByEndMs) {
        if (endMs <= nowMs) keysByEndMs.delete(endMs);
        else keys += count;
      }
      collector.add('budgetKeys', keys, ...labels);
      collector.add('budgetThresholds', times, ...labels);
    }
  }

  #add(labels: Series['labels'], resetAfterMs: number | 'never'): void {
    const series = getOrCreate(this.#series, labels.join('\0'), () => ({ labels, keysByEndMs: new Map(), times: 0 }));
    const { keysByEndMs } = series;
    series.times += 1;
    const endMs =
      resetAfterMs === 'never'
        ? Number.POSITIVE_INFINITY
        : Math.ceil((this.#clock.now() + resetAfterMs) / GRAIN_MS) * GRAIN_MS;
    keysByEndMs.set(endMs, (keysByEndMs.get(endMs) ?? 0) + 1);
  }
}
