import type { Verdict } from '@sluice/core';
import { MONEY } from '@sluice/core/store';
import type { Settlement } from '../meter/call-outcome.js';
import type { PriceTable } from '../money/price-table.js';
import { type Counted, UNITS } from '../plan/dimension.js';
import { settlementOf } from '../settle/settlement.js';
import type { CheckedWeights } from '../settle/token-weights.js';
import type { Usage } from '../usage/usage.js';

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
  /** Settles calls that hold what they probably use. */
  readonly settle: Settlement;
  /** Settles calls that hold the most that they can use: estimates give nothing of it back. */
  readonly settleCeiling: Settlement;

  constructor(weights: CheckedWeights, prices: PriceTable | undefined) {
    const rules = {
      weights,
      countedBy: (limit: string) => this.#counted.get(limit),
      costOf: prices && ((model: string, usage: Usage) => prices.cost(model, usage)),
    };
    this.settle = settlementOf({ ...rules, inputOf: (call) => call.input });
    this.settleCeiling = settlementOf({ ...rules, inputOf: (call) => call.inputCeiling, unknownUsage: 'reserved' });
  }

  /** Notes what the limits of a reservation count. Limits with another unit keep what they were charged. */
  learn(verdicts: readonly Verdict[]): void {
    for (const { name, quotaUnit = 'requests', limit } of verdicts) {
      const counts = limit.leaseMs === undefined ? BY_UNIT[quotaUnit] : 'slots';
      if (counts) this.#counted.set(name, counts);
    }
  }
}
