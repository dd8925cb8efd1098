import { priceTable } from '@sluice/llm';

/**
 * Dollars for a million tokens. The models are made up, like the provider. Their answers can be so long that a single one meets the limits of
 * any plan.
 */
export const PRICES = priceTable({
  small: { input: '0.50', cacheRead: '0.05', output: '2', maxOutput: 2_000_000 },
  large: { input: '10', cacheRead: '1', output: '40', maxOutput: 2_000_000 },
});
