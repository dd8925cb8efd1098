// Why it is so: core/docs/why/budgets-of-models.md

import { boundOf, type Duration, type Limit } from '@sluice/core';
import { checkOptions, checkWhole } from '@sluice/core/values';
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
  /**
   * How many calls of the window stay charged as held, although they used more: their process died, or the store did not take their
   * settlement. Default: 0.
   */
  readonly lost?: number;
}

/** By how much calls may pass a limit. */
interface Overrun {
  /** How much a call may use above what it holds. */
  readonly excess: number;
  /** How many calls may be under way when the limit is used up. */
  readonly parallel: number;
  /** How many calls are never settled. */
  readonly lost: number;
}

/**
 * Returns the most that a key can use in any window. While calls are under way, each may use more than it holds:
 * `limit + parallel * max(0, most a call may use - least it holds)`, for each time that the limit can be used up in the window. So may each
 * call that is never settled.
 */
export function boundOfPlan({ own }: PlanLimits, window: Duration, hold: CheckedHold, range: CallRange = {}): Amounts {
  checkOptions(range, ['most', 'least', 'lost'], 'range');
  const [most, least] = [
    amounts(range.most, 'range.most', Number.POSITIVE_INFINITY),
    amounts(range.least, 'range.least', 0),
  ];
  const lost = checkWhole(range.lost ?? 0, 'range.lost');
  const parallel = own.parallel?.quota ?? Number.POSITIVE_INFINITY;
  const overrun = (unit: keyof Amounts, kind: HoldKind): Overrun => {
    return { excess: kind === 'ceiling' ? 0 : most[unit] - least[unit], parallel, lost };
  };
  const bound = (limit: Limit | undefined, over: Overrun): number => boundOfLimit(limit, window, over);
  const tokens = overrun('tokens', hold.tokens);
  const money = overrun('microDollars', hold.money);
  return {
    tokens: Math.min(bound(own.tpm, tokens), bound(own.tpd, tokens), bound(own.itpm, tokens) + bound(own.otpm, tokens)),
    microDollars: Math.min(...MONEY_DIMENSIONS.map(({ name }) => bound(own[name], money))),
  };
}

function boundOfLimit(limit: Limit | undefined, window: Duration, { excess, parallel, lost }: Overrun): number {
  if (!limit) return Number.POSITIVE_INFINITY;
  if (limit.quota === 0) return 0;
  const admitted = boundOf(limit, window);
  if (!Number.isFinite(admitted) || excess <= 0) return admitted;
  // The calls under way can pass the limit each time when it was used up.
  const calls = Math.ceil(admitted / limit.quota) * parallel + lost;
  // Without a call, an excess without a bound would be no number.
  return calls === 0 ? admitted : admitted + calls * excess;
}

function amounts(given: Partial<Amounts> = {}, path: string, absent: number): Amounts {
  checkOptions(given, ['tokens', 'microDollars'], path);
  const amount = (unit: keyof Amounts): number => {
    const { [unit]: units } = given;
    return units === undefined ? absent : checkWhole(units, `${path}.${unit}`);
  };
  return { tokens: amount('tokens'), microDollars: amount('microDollars') };
}
