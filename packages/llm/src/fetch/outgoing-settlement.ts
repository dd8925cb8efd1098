import type { Verdict } from '@sluice/core';
import { MONEY } from '@sluice/core/values';
import type { Settlement } from '../meter/call-outcome.js';
import { costOfUsage } from '../money/call-cost.js';
import type { PriceTable } from '../money/price-table.js';
import { type Counted, UNITS } from '../plan/dimension.js';
import { type CheckedHold, EXPECTED } from '../plan/hold.js';
import { type SettlementRules, settlementOf } from '../settle/settlement.js';
import type { CheckedWeights } from '../settle/token-weights.js';

/** What limits count, by the units of their items: those of `createLlm`, and those written by hand. */
const BY_UNIT: Readonly<Record<string, Counted>> = {
  requests: 'requests',
  tokens: 'tokens',
  'input-tokens': 'input',
  'output-tokens': 'output',
  [MONEY]: 'money',
  [UNITS.held]: 'held',
};

/** Settles outgoing calls as incoming ones. What their limits count is known from their verdicts. */
export class OutgoingSettlement {
  readonly #counted = new Map<string, Counted>();
  readonly #rules: Omit<SettlementRules, 'hold'>;
  /** One for each way to hold. */
  readonly #settlements = new Map<string, Settlement>();

  constructor(weights: CheckedWeights, prices: PriceTable | undefined) {
    this.#rules = {
      weights,
      countedBy: (limit) => this.#counted.get(limit),
      costOf: prices && ((call, usage) => costOfUsage(prices, call, usage)),
    };
  }

  /**
   * Returns how calls are settled that hold so much.
   *
   * @param hold - absent: the limits are not those of `createLlm`, and nobody knows
   */
  of(hold: CheckedHold = EXPECTED): Settlement {
    const name = `${hold.tokens} ${hold.money}`;
    const settle = this.#settlements.get(name) ?? settlementOf({ ...this.#rules, hold });
    this.#settlements.set(name, settle);
    return settle;
  }

  /** Notes what the limits of a reservation count. Limits with another unit keep what they were charged. */
  learn(verdicts: readonly Verdict[]): void {
    for (const { name, quotaUnit = 'requests', limit } of verdicts) {
      const counts = limit.leaseMs === undefined ? BY_UNIT[quotaUnit] : 'slots';
      if (counts) this.#counted.set(name, counts);
    }
  }
}
