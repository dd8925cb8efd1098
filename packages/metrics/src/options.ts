import type { Clock } from '@sluice/core';
import { checkFunction, checkOptions, clockOf, optionError } from '@sluice/core/values';
import type { BudgetSource } from './money/budget-keys.js';
import type { TierOf } from './money/tier-decisions.js';
import type { PolicySource, ReaderOptions } from './read/sample-reader.js';

/** What all exporters accept. */
export interface MetricsOptions {
  /**
   * Live policies, as `policies()` of `@sluice/config` returns them. Their revision, their reloads, the enforcement mode and
   * the limits of each tier are shown, too. Default: none.
   */
  policies?: PolicySource;
  /**
   * An allowed check is near its limit if it leaves at most this share of the limit: a number of tenths, from 0 to 0.9.
   * Default: 0.2.
   */
  nearRatio?: number;
  /**
   * `watchBudgets` of `@sluice/llm`: counts the keys that have reached 50, 80 and 100 % of a budget. It looks at each decision, so it
   * costs something per request. Default: none.
   */
  budgets?: BudgetSource;
  /**
   * `tierOf` of `@sluice/config`: counts decisions by the tiers of a policy file. It looks at each decision, so it costs something per
   * request. Default: none.
   */
  tierOf?: TierOf;
  /** The clock that tells when a budget is fresh again, for tests. Default: `wallClock`. */
  clock?: Clock;
}

/** The names of these options. */
const METRICS_OPTIONS = ['policies', 'nearRatio', 'budgets', 'tierOf', 'clock'] as const;

/** Checks the options of an exporter. `own` are the names of those that only this exporter has. */
export function checkedOptions(options: MetricsOptions, own: readonly string[]): ReaderOptions {
  checkOptions(options, [...METRICS_OPTIONS, ...own]);
  const { policies, nearRatio = 0.2, budgets, tierOf, clock } = options;
  if (policies !== undefined) checkFunction(Object(policies).status, 'policies.status');
  if (budgets !== undefined) checkFunction(budgets, 'budgets');
  if (tierOf !== undefined) checkFunction(tierOf, 'tierOf');
  return { policies, nearTenths: tenthsOf(nearRatio), budgets, tierOf, clock: clockOf(clock) };
}

/** What a check left is counted by tenths, so that any tenth can be chosen, and none between them. */
function tenthsOf(ratio: unknown): number {
  const tenths = Math.round(Number(ratio) * 10);
  if (typeof ratio === 'number' && Math.abs(ratio * 10 - tenths) < 1e-9 && tenths >= 0 && tenths <= 9) return tenths;
  throw optionError('nearRatio', 'must be 0, 0.1, 0.2 and so on up to 0.9', ratio);
}
