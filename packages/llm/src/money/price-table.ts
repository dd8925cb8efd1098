import { checkOptions, optionError } from '@sluice/core/values';
import { LlmCallError } from '../call/call-error.js';
import type { PricedWork } from '../call/priced-members.js';
import { aliasesOf } from './aliases.js';
import { costOf, type MostUsed, mostOf, type PricedTokens } from './cost.js';
import { type Price, type WholePrice, wholePrice } from './price.js';

/** Options of `priceTable`. */
export interface PriceTableOptions {
  /**
   * Other names of listed models: `{ 'claude-best': 'claude-opus-5' }`. A name may end in `{date}`, which stands for the date of
   * a snapshot and for nothing else: `{ 'gpt-5.6-{date}': 'gpt-5.6' }` covers `gpt-5.6-2026-03-01`, and neither
   * `gpt-5.6-pro` nor `gpt-5.6-pro-2026-03-01`. A snapshot may cost more than its model did later, so no date is ever cut off
   * unless an alias says so. Listed names go before aliases. Default: none.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** What happens to models that are not listed: an error, or this price. Default: `'refuse'`. */
  readonly unknown?: 'refuse' | Price;
}

/** Prices of models. Costs are whole micro-dollars, rounded up once per call. */
export interface PriceTable {
  /** Whether the model has a price. */
  has(model: string): boolean;
  /** Returns the listed name of a model: itself, or what its alias stands for; undefined if it is not listed. */
  nameOf(model: string): string | undefined;
  /** Returns the most tokens of a prompt that the model reads; undefined if its price does not say it. */
  maxInput(model: string): number | undefined;
  /** Returns the most tokens that the model makes in one answer; undefined if its price does not say it. */
  maxOutput(model: string): number | undefined;
  /**
   * Returns what a call costs.
   *
   * @throws LlmCallError if the model has no price
   * @throws SluiceError `SLUICE_COST` if the tokens are no whole numbers of at least 0
   */
  cost(model: string, tokens: PricedTokens): number;
  /**
   * Returns the most that a call can cost with at most so many tokens, however much of its prompt is read from a cache or
   * written to it, and whichever of the tiers serves it.
   *
   * @throws LlmCallError if the model has no price
   */
  most(model: string, used: MostUsed): number;
  /**
   * Returns what the price of a model lists beside tokens: tiers, tools, whether sound and images have rates of their own, and whether
   * characters have one.
   *
   * @throws LlmCallError if the model has no price
   */
  priced(model: string): PricedWork;
}

/**
 * Checks an option that is a table of prices.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkPriceTable(prices: PriceTable | undefined): PriceTable | undefined {
  if (prices === undefined || typeof prices?.priced === 'function') return prices;
  throw optionError('prices', 'must be a table, like priceTable({ ... })', prices);
}

/**
 * Makes a table of prices. Prices are dollars per million tokens as decimal text, so that no price is rounded.
 *
 * @param perMillion - by the names of models, as calls write them
 * @throws SluiceError `SLUICE_OPTION` if a price is no decimal, or an alias names no listed model
 * @example
 * const prices = priceTable({
 *   'gpt-5.6': { input: '1.25', cacheRead: '0.125', output: '10' },
 *   'claude-opus-5': { input: '5', cacheRead: '0.5', cacheWrite: { '5m': '6.25', '1h': '10' }, output: '25' },
 * }, { aliases: { 'gpt-5.6-{date}': 'gpt-5.6' } });
 */
export function priceTable(perMillion: Readonly<Record<string, Price>>, options: PriceTableOptions = {}): PriceTable {
  if (typeof perMillion !== 'object' || perMillion === null || Array.isArray(perMillion)) {
    throw optionError('prices', 'must be an object of prices by model', perMillion);
  }
  checkOptions(options, ['aliases', 'unknown']);
  const { aliases, unknown = 'refuse' } = options;
  const prices = new Map(
    Object.entries(perMillion).map(([model, price]) => [model, wholePrice(price, `prices["${model}"]`)]),
  );
  const aliased = aliasesOf(aliases, prices);
  const other = unknown === 'refuse' ? undefined : wholePrice(unknown, 'unknown');

  const nameOf = (model: string): string | undefined => (prices.has(model) ? model : aliased(model));
  const find = (model: string): WholePrice | undefined => {
    const name = nameOf(model);
    return name === undefined ? other : prices.get(name);
  };
  const priceOf = (model: string): WholePrice => {
    const price = find(model);
    if (!price) throw new LlmCallError('model', 'must be one that the price table lists', model);
    return price;
  };

  return Object.freeze({
    has: (model) => find(model) !== undefined,
    nameOf,
    maxInput: (model) => find(model)?.maxInput,
    maxOutput: (model) => find(model)?.maxOutput,
    cost: (model, tokens) => costOf(priceOf(model), tokens),
    most: (model, used) => mostOf(priceOf(model), used),
    priced: (model) => {
      const { tiers, tools, hasMedia, characters } = priceOf(model);
      const isByCharacters = characters !== undefined;
      return { tiers: [...tiers.keys()], tools: [...tools.keys()], media: hasMedia, characters: isByCharacters };
    },
  } satisfies PriceTable);
}
