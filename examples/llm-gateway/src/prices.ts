import { priceTable } from '@sluice/llm';

/** Dollars for a million tokens. The names are made up, like the provider. */
export const PRICES = priceTable({
  small: { input: '0.50', cacheRead: '0.05', output: '2' },
  large: { input: '10', cacheRead: '1', output: '40' },
});
