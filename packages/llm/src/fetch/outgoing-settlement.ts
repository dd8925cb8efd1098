import type { Verdict } from '@sluice/core';
import { MONEY } from '@sluice/core/values';
import type { Settlement } from '../meter/call-outcome.js';
import { costsBy } from '../money/call-cost.js';
import type { PriceTable } from '../money/price-table.js';
import { type Counted, UNITS } from '../plan/dimension.js';
import { EXPECTED } from '../plan/hold.js';
import { type SettlementRules, settlementOf } from '../settle/settlement.js';
import { type CheckedWeights, checkedWeights } from '../settle/token-weights.js';

/** What limits count, by the units of their items: those of `createLlm`, and those written by hand. */
const BY_UNIT: Readonly<Record<string, Counted>> = {
  requests: 'requests',
  tokens: 'tokens',
  'input-tokens': 'input',
  'output-tokens': 'output',
  [MONEY]: 'money',
  [UNITS.held]: 'held',
};

/** How limits are settled that are written by hand. */
const BY_HAND: SettlementRules = { weights: checkedWeights(), costOf: () => undefined, hold: EXPECTED };

/** Settles outgoing calls as incoming ones. What their limits count is known from their verdicts. */
export class OutgoingSettlement {
  readonly #counted = new Map<string, Counted>();
  /** What was stated for all limits. */
  readonly #stated: Partial<SettlementRules>;
  readonly #settlements = new WeakMap<SettlementRules, Settlement>();

  constructor(weights: CheckedWeights | undefined, prices: PriceTable | undefined) {
    this.#stated = { ...(weights && { weights }), ...(prices && { costOf: costsBy(prices) }) };
  }

  /** Returns how calls are settled whose limits have such rules. Absent: the limits are not those of `createLlm`. */
  of(rules: SettlementRules = BY_HAND): Settlement {
    const known = this.#settlements.get(rules);
    if (known) return known;
    const made = settlementOf({ ...rules, ...this.#stated }, (limit) => this.#counted.get(limit));
    this.#settlements.set(rules, made);
    return made;
  }

  /** Notes what the limits of a reservation count. Limits with another unit keep what they were charged. */
  learn(verdicts: readonly Verdict[]): void {
    for (const { name, quotaUnit = 'requests', limit } of verdicts) {
      const counts = limit.leaseMs === undefined ? BY_UNIT[quotaUnit] : 'slots';
      if (counts) this.#counted.set(name, counts);
    }
  }
}
