import type { Verdict } from '@sluice/core';
import type { CallOutcome, Settlement } from '../meter/call-outcome.js';
import type { PriceTable } from '../money/price-table.js';
import type { Counted } from '../plan/dimension.js';
import { settlementOf } from '../settle/settlement.js';
import type { CheckedWeights } from '../settle/token-weights.js';

/** What limits count, by the units of their items: those of `createLlm`, and those written by hand. */
const BY_UNIT: Readonly<Record<string, Counted>> = {
  tokens: 'tokens',
  'input-tokens': 'input',
  'output-tokens': 'output',
  'micro-dollars': 'money',
};

/** How outgoing calls are settled: as incoming ones, except that a refused call stays a request. Providers count it. */
export class OutgoingSettlement {
  readonly #counted = new Map<string, Counted>();
  readonly #settle: Settlement;

  constructor(weights: CheckedWeights, prices: PriceTable | undefined) {
    this.#settle = settlementOf({
      weights,
      countedBy: (limit) => {
        const counts = this.#counted.get(limit);
        // Without prices, money stays as it is held.
        return counts === 'money' && !prices ? undefined : counts;
      },
      costOf: (model, usage) => prices?.cost(model, usage) ?? 0,
      inputOf: (call) => call.input,
    });
  }

  /** Notes what the limits of a reservation count. Limits without a unit of ours keep what they were charged. */
  learn(verdicts: readonly Verdict[]): void {
    for (const { name, quotaUnit, limit } of verdicts) {
      const counts = limit.leaseMs === undefined ? BY_UNIT[quotaUnit ?? ''] : 'slots';
      if (counts) this.#counted.set(name, counts);
    }
  }

  readonly settle: Settlement = (call, outcome: CallOutcome, held) => {
    const amounts = this.#settle(call, outcome, held);
    if (outcome.end !== 'refused') return amounts;
    // The provider has not worked, so it cannot have spent what costs.
    const given = Object.keys(held).filter((name) => this.#counted.get(name) === 'money');
    return { ...amounts, ...Object.fromEntries(given.map((name) => [name, 0])) };
  };
}
