// Why it is so: core/docs/why/budgets-of-models.md

import { boundOf, type Duration, type Limit } from '@sluice/core';
import { checkOptions, checkWhole } from '@sluice/core/store';
import { MONEY_DIMENSIONS } from './dimension.js';
import type { CheckedHold, HoldKind } from './hold.js';
import type { PlanLimits } from './plan-limits.js';

/** Tokens and money. */
export interface Amounts {
  /** Tokens of prompts and answers together. */
  readonly tokens: number;
  /** Money in millionths of a dollar. */
  readonly microDollars: number;
}

/** What a single call can use, for `boundOf`. For what holds the ceiling it does not matter. */
export interface CallRange {
  /** The most that a call may use: the context window of the largest model, and what that costs. Default: Infinity. */
  readonly most?: Partial<Amounts>;
  /** The least that a call holds. Default: 0. */
  readonly least?: Partial<Amounts>;
}

/**
 * Returns the most that a key can use in any window. While calls are under way, each may use more than it holds:
 * `limit + parallel * max(0, most a call may use - least it holds)`, for each time that the limit can be used up in the window.
 */
export function boundOfPlan({ own }: PlanLimits, window: Duration, hold: CheckedHold, range: CallRange = {}): Amounts {
  checkOptions(range, ['most', 'least'], 'range');
  const [most, least] = [
    amounts(range.most, 'range.most', Number.POSITIVE_INFINITY),
    amounts(range.least, 'range.least', 0),
  ];
  const parallel = own.parallel?.quota ?? Number.POSITIVE_INFINITY;
  const overrun = (unit: keyof Amounts, kind: HoldKind): number =>
    kind === 'ceiling' || parallel === 0 ? 0 : overrunOf(parallel, most[unit] - least[unit]);
  const bound = (limit: Limit | undefined, over: number): number => boundOfLimit(limit, window, over);
  const tokens = overrun('tokens', hold.tokens);
  const money = overrun('microDollars', hold.money);
  return {
    tokens: Math.min(bound(own.tpm, tokens), bound(own.tpd, tokens), bound(own.itpm, tokens) + bound(own.otpm, tokens)),
    microDollars: Math.min(...MONEY_DIMENSIONS.map(({ name }) => bound(own[name], money))),
  };
}

/** Without this, no difference times no bound would be no number. */
function overrunOf(parallel: number, excess: number): number {
  return excess <= 0 ? 0 : parallel * excess;
}

function boundOfLimit(limit: Limit | undefined, window: Duration, over: number): number {
  if (!limit) return Number.POSITIVE_INFINITY;
  if (limit.quota === 0) return 0;
  const admitted = boundOf(limit, window);
  if (!Number.isFinite(admitted) || over === 0) return admitted;
  // The calls under way can pass the limit each time when it was used up.
  return admitted + Math.ceil(admitted / limit.quota) * over;
}

function amounts(given: Partial<Amounts> = {}, path: string, absent: number): Amounts {
  checkOptions(given, ['tokens', 'microDollars'], path);
  const amount = (unit: keyof Amounts): number => {
    const { [unit]: units } = given;
    return units === undefined ? absent : checkWhole(units, `${path}.${unit}`);
  };
  return { tokens: amount('tokens'), microDollars: amount('microDollars') };
}
