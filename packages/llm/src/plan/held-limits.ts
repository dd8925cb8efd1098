// Why it is so: core/docs/why/budgets-of-models.md

import { type Limit, slidingWindow } from '@sluice/core';
import { MONEY_DIMENSIONS, UNITS } from './dimension.js';
import type { NamedLimit } from './limit-names.js';

/**
 * A count of the money that calls under way hold, beside the budgets of a plan. A budget counts what was spent and what is held in one
 * number, because both have to fit into it; only this count tells them apart. It never refuses.
 */
export interface HeldCount {
  /** The name in the policy: `held`, `model-held`, `org-held`. */
  readonly name: string;
  /** Whether it counts each model apart. */
  readonly isOfModel: boolean;
  /** The name of its scope; undefined for the plan of the caller. */
  readonly scope: string | undefined;
}

/** The unit of these counts. Nobody takes it for money that was spent. */
export const HELD_UNIT = UNITS.held;

/** More than any budget has. */
const MOST_HELD = 2 ** 52 - 1;

const LEAST_WINDOW_MS = 3_600_000;

/** The counts of a policy. */
export interface HeldCounts {
  /** By their names: one for each scope, and for the models of a scope, that may have a budget. */
  readonly counts: ReadonlyMap<string, HeldCount>;
  /** The limit of each of them. It never refuses. */
  readonly limit: Limit;
}

/**
 * Returns the counts of a policy. What a process that died has held leaves them after an hour, or after twice the longest hold: it then
 * counts as spent.
 */
export function heldCounts(limits: readonly NamedLimit[], maxHoldMs: number): HeldCounts {
  const counts = limits
    .filter(({ dimension }) => dimension.counts === 'money')
    .map(({ isOfModel, scope, name: budget }): [string, HeldCount] => {
      const name = heldNameOf(budget);
      return [name, { name, isOfModel, scope }];
    });
  const limit = slidingWindow({ limit: MOST_HELD, window: Math.max(LEAST_WINDOW_MS, 2 * maxHoldMs) });
  return { counts: new Map(counts), limit };
}

/** Returns the name of the count that belongs to a budget: `org-held` to `org-perDay`. */
export function heldNameOf(budget: string): string {
  return budget.replace(/[^-]+$/, 'held');
}

/** Whether limits have a budget, by the names of their dimensions. */
export function haveBudget(limits: Readonly<Partial<Record<string, Limit>>> | undefined): boolean {
  return MONEY_DIMENSIONS.some(({ name }) => limits?.[name] !== undefined);
}
