import { checkOptions, checkWhole, optionError } from '@sluice/core/store';
import { type Dollars, microDollars } from './usd.js';

/** What one model costs, in dollars per million tokens, as providers print it in their lists. */
export interface Rates {
  /** Prompt tokens that no cache knows. */
  readonly input: Dollars;
  /** Tokens that the model makes, those of its reasoning included. */
  readonly output: Dollars;
  /** Prompt tokens that the provider reads from its cache. Default: `input`. */
  readonly cacheRead?: Dollars;
  /**
   * Prompt tokens that the provider writes to its cache. Default: `input`. Anthropic charges more, and more again for entries
   * that stay an hour: `{ '5m': '3.75', '1h': '6' }`.
   */
  readonly cacheWrite?:
    | Dollars
    | {
        /** For entries that stay five minutes. */
        readonly '5m': Dollars;
        /** For entries that stay an hour. */
        readonly '1h': Dollars;
      };
  /** Dollars for the call itself, whatever its tokens. Default: 0. */
  readonly perCall?: Dollars;
}

/** The price of one model. */
export interface Price extends Rates {
  /**
   * Other rates for calls whose prompt has more tokens than `inputTokens`, cached ones included. They apply to all tokens of
   * such a call. Default: none.
   */
  readonly above?: Rates & {
    /** A prompt with more tokens than this has these rates. */
    readonly inputTokens: number;
  };
  /** The most tokens that the model makes in one answer. Larger caps of callers count as this. Default: unknown. */
  readonly maxOutput?: number;
}

/** The rates of a price in micro-dollars per million tokens: whole numbers. `perCall` is in micro-dollars. */
export interface WholeRates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly perCall: number;
}

/** A price that was checked. */
export interface WholePrice extends WholeRates {
  readonly above?: WholeRates & { readonly inputTokens: number };
  readonly maxOutput?: number;
}

const RATES = ['input', 'output', 'cacheRead', 'cacheWrite', 'perCall'] as const;

/** Checks a price. Errors name the path: `prices["gpt-5.6"].input`. */
export function wholePrice(price: Price, path: string): WholePrice {
  checkOptions(price, [...RATES, 'above', 'maxOutput'], path);
  const { above, maxOutput } = price;
  return {
    ...wholeRates(price, path),
    ...(above !== undefined && { above: wholeAbove(above, `${path}.above`) }),
    ...(maxOutput !== undefined && { maxOutput: checkWhole(maxOutput, `${path}.maxOutput`, 1) }),
  };
}

function wholeAbove(above: NonNullable<Price['above']>, path: string): NonNullable<WholePrice['above']> {
  checkOptions(above, [...RATES, 'inputTokens'], path);
  return { ...wholeRates(above, path), inputTokens: checkWhole(above.inputTokens, `${path}.inputTokens`, 1) };
}

function wholeRates(rates: Rates, path: string): WholeRates {
  for (const needed of ['input', 'output'] as const) {
    if (rates[needed] === undefined) throw optionError(`${path}.${needed}`, 'is needed', undefined);
  }
  const { input, output, cacheRead = input, cacheWrite = input, perCall = 0 } = rates;
  return {
    input: microDollars(input, `${path}.input`),
    output: microDollars(output, `${path}.output`),
    cacheRead: microDollars(cacheRead, `${path}.cacheRead`),
    ...wholeWrites(cacheWrite, `${path}.cacheWrite`),
    perCall: microDollars(perCall, `${path}.perCall`),
  };
}

function wholeWrites(
  cacheWrite: NonNullable<Rates['cacheWrite']>,
  path: string,
): Pick<WholeRates, 'cacheWrite5m' | 'cacheWrite1h'> {
  if (typeof cacheWrite !== 'object' || cacheWrite === null) {
    const rate = microDollars(cacheWrite, path);
    return { cacheWrite5m: rate, cacheWrite1h: rate };
  }
  checkOptions(cacheWrite, ['5m', '1h'], path);
  return {
    cacheWrite5m: microDollars(cacheWrite['5m'], `${path}["5m"]`),
    cacheWrite1h: microDollars(cacheWrite['1h'], `${path}["1h"]`),
  };
}
