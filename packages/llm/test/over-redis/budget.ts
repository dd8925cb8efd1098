import { type LlmPlan, priceTable } from '../../src/index.js';

/** The call of every gateway. Of its output, a thousand tokens cost a cent. */
export const BODY = { model: 'gpt', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1000 };

export const BUDGET_PRICES = priceTable({ gpt: { input: '1', output: '10' } });

/** How a budget is held: the most that a call can cost, or what it probably does. */
export type Kind = 'ceiling' | 'expected';

/** A fixed sum, and how many calls may pass it a bit at the same time. */
export const EXPECTED_PLAN: LlmPlan = { perLifetime: 150_000, parallel: 6 };

/** The output tokens that a call without a cap holds where what is expected is held. */
export const EXPECTED_OUTPUT = 100;

/** What became of calls that a gateway made at once. */
export interface Batch {
  /** How many were sent to the provider. */
  readonly admitted: number;
  /** Who decided. */
  readonly sources: readonly string[];
}
