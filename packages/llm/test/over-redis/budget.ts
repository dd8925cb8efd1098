import { priceTable } from '../../src/index.js';

/** The call of every gateway. Of its output, a thousand tokens cost a cent. */
export const BODY = { model: 'gpt', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1000 };

export const BUDGET_PRICES = priceTable({ gpt: { input: '1', output: '10' } });

/** What became of calls that a gateway made at once. */
export interface Batch {
  /** How many were sent to the provider. */
  readonly admitted: number;
  /** Who decided. */
  readonly sources: readonly string[];
}
