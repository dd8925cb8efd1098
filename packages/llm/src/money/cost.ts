import { SluiceError } from '@sluice/core';
import { show } from '@sluice/core/http';
import type { Usage } from '../usage/usage.js';
import type { WholePrice, WholeRates } from './price.js';

/** The tokens that have a price. */
export type PricedTokens = Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h' | 'output'>;

/** Rates are per million tokens, so a sum of products is in millionths of a micro-dollar. */
const PER_MILLION = 1_000_000;

/**
 * Returns the cost of a call in micro-dollars. It is exact, and rounded up once. A cost above 2^53 - 1 micro-dollars (nine
 * billion dollars) is 2^53 - 1.
 */
export function costOf(price: WholePrice, tokens: PricedTokens): number {
  checkTokens(tokens);
  const { above } = price;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  return costAt(above && prompt > above.inputTokens ? above : price, tokens);
}

/**
 * Returns the most that a call can cost with so many tokens of input and output: each input token has the dearest rate of
 * input, and the prompt may turn out to be shorter.
 */
export function mostOf(price: WholePrice, input: number, output: number): number {
  const tokens = { input, output, cacheRead: 0, cacheWrite: 0 };
  checkTokens(tokens);
  const base = costAt(dearest(price), tokens);
  const { above } = price;
  return above && input > above.inputTokens ? Math.max(base, costAt(dearest(above), tokens)) : base;
}

/** Refuses what would make a cost wrong without a word: fractions, negative numbers, and more 1h writes than writes. */
function checkTokens({ input, cacheRead, cacheWrite, cacheWrite1h = 0, output }: PricedTokens): void {
  const wrong = [input, cacheRead, cacheWrite, cacheWrite1h, cacheWrite - cacheWrite1h, output].find(
    (tokens) => !Number.isSafeInteger(tokens) || tokens < 0,
  );
  if (wrong === undefined) return;
  throw new SluiceError('SLUICE_COST', `tokens must be whole numbers of at least 0, got ${show(wrong)}`, {
    received: wrong,
  });
}

function dearest(rates: WholeRates): WholeRates {
  return { ...rates, input: Math.max(rates.input, rates.cacheRead, rates.cacheWrite5m, rates.cacheWrite1h) };
}

function costAt(rates: WholeRates, { input, cacheRead, cacheWrite, cacheWrite1h = 0, output }: PricedTokens): number {
  const sum =
    input * rates.input +
    cacheRead * rates.cacheRead +
    (cacheWrite - cacheWrite1h) * rates.cacheWrite5m +
    cacheWrite1h * rates.cacheWrite1h +
    output * rates.output +
    rates.perCall * PER_MILLION;
  // No addend is negative. So if the sum is a safe integer, each product was one, and nothing was rounded.
  if (!Number.isSafeInteger(sum)) return largeCostAt(rates, { input, cacheRead, cacheWrite, cacheWrite1h, output });
  const rest = sum % PER_MILLION;
  return (sum - rest) / PER_MILLION + (rest > 0 ? 1 : 0);
}

/** The same with numbers of any length. */
function largeCostAt(
  rates: WholeRates,
  { input, cacheRead, cacheWrite, cacheWrite1h, output }: Required<PricedTokens>,
): number {
  const sum =
    BigInt(input) * BigInt(rates.input) +
    BigInt(cacheRead) * BigInt(rates.cacheRead) +
    BigInt(cacheWrite - cacheWrite1h) * BigInt(rates.cacheWrite5m) +
    BigInt(cacheWrite1h) * BigInt(rates.cacheWrite1h) +
    BigInt(output) * BigInt(rates.output) +
    BigInt(rates.perCall) * BigInt(PER_MILLION);
  const cost = (sum + BigInt(PER_MILLION - 1)) / BigInt(PER_MILLION);
  return Number(cost > Number.MAX_SAFE_INTEGER ? BigInt(Number.MAX_SAFE_INTEGER) : cost);
}
