import { SluiceError } from '@sluice/core';
import { show } from '@sluice/core/values';
import type { Usage } from '../usage/usage.js';
import type { WholePrice, WholeRates, WholeTier } from './price.js';

/** What of a usage has a price. */
export type PricedTokens = Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite' | 'output'> &
  Partial<
    Pick<
      Usage,
      | 'cacheWrite1h'
      | 'audioInput'
      | 'imageInput'
      | 'audioOutput'
      | 'imageOutput'
      | 'tier'
      | 'toolUses'
      | 'statedMicroDollars'
    >
  > & {
    /** Characters of a text that is spoken. Absent: none, or they have no price. */
    readonly characters?: number;
  };

/** What a call can use at most. */
export interface MostUsed {
  /** Tokens of the prompt. */
  readonly input: number;
  /** Tokens of the output, of all choices together. */
  readonly output: number;
  /** The tiers that may serve it beside the usual one. Default: none. */
  readonly tiers?: readonly string[];
  /** Whether it is a call of a batch: it has the rates of the tier `batch`, or the usual ones if none is listed. Default: false. */
  readonly batch?: boolean;
  /** How often tools may be used. Default: not at all. */
  readonly toolUses?: Readonly<Record<string, number>>;
  /** Whether the answer may have sound or images. Default: false. */
  readonly media?: boolean;
  /** Characters of a text that is spoken. Default: 0. */
  readonly characters?: number;
}

/** The tier of calls in batches. A call that is answered at once never has it unasked. */
export const BATCH = 'batch';

/** Rates are per million tokens, so a sum of products is in millionths of a micro-dollar. */
const PER_MILLION = 1_000_000;

/** So many units, and the rate of each. */
type Product = readonly [units: number, rate: number];

/**
 * Returns the cost of a call in micro-dollars. It is exact, and rounded up once. A cost above 2^53 - 1 micro-dollars (nine
 * billion dollars) is 2^53 - 1. If the provider states a larger cost, that is it, and any stated cost if the price says so.
 */
export function costOf(price: WholePrice, tokens: PricedTokens): number {
  checkTokens(tokens);
  const { tier, toolUses, characters = 0, statedMicroDollars: stated } = tokens;
  if (price.isStated && stated !== undefined) return stated;
  const rates = (tier !== undefined && price.tiers.get(tier)) || price;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  const { above } = rates;
  const applied = above && prompt > above.inputTokens ? above : rates;
  return Math.max(stated ?? 0, total([...productsOf(applied, tokens), ...otherProducts(price, toolUses, characters)]));
}

/**
 * Returns the most that a call can cost: each input token has the dearest rate of input, the prompt may turn out to be shorter, and
 * the dearest tier may serve it.
 */
export function mostOf(
  price: WholePrice,
  { input, output, toolUses, media = false, characters = 0, ...served }: MostUsed,
): number {
  const tokens = { input, output, cacheRead: 0, cacheWrite: 0 };
  checkTokens({ ...tokens, characters });
  const others = otherProducts(price, toolUses, characters);
  const possible = tiersThatServe(price, served);
  const applied = possible.flatMap((rates: WholeTier) =>
    rates.above && input > rates.above.inputTokens ? [rates, rates.above] : [rates],
  );
  return Math.max(...applied.map((rates) => total([...productsOf(dearest(rates, media), tokens), ...others])));
}

/** A call of a batch is never served by another tier. */
function tiersThatServe(
  price: WholePrice,
  { tiers = [], batch = false }: Pick<MostUsed, 'tiers' | 'batch'>,
): readonly WholeTier[] {
  if (batch) return [price.tiers.get(BATCH) ?? price];
  return [price, ...tiers.map((tier) => price.tiers.get(tier)).filter((tier) => tier !== undefined)];
}

const OPTIONAL = ['cacheWrite1h', 'audioInput', 'imageInput', 'audioOutput', 'imageOutput'] as const;

/** Refuses what would make a cost wrong without a word: fractions, negative numbers, and parts that are more than the whole. */
function checkTokens(tokens: PricedTokens): void {
  const { input, cacheRead, cacheWrite, output, statedMicroDollars = 0, toolUses = {}, characters = 0 } = tokens;
  const [writes1h, audioIn, imageIn, audioOut, imageOut] = OPTIONAL.map((part) => tokens[part] ?? 0) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const wrong = [
    ...[input, cacheRead, cacheWrite, output, writes1h, audioIn, imageIn, audioOut, imageOut, statedMicroDollars],
    ...[cacheWrite - writes1h, input - audioIn - imageIn, output - audioOut - imageOut],
    ...Object.values(toolUses),
    characters,
  ].find((units) => !Number.isSafeInteger(units) || units < 0);
  if (wrong === undefined) return;
  throw new SluiceError('SLUICE_COST', `tokens must be whole numbers of at least 0, got ${show(wrong)}`, {
    received: wrong,
  });
}

function dearest(rates: WholeRates, media: boolean): WholeRates {
  const { audioInput, imageInput, audioOutput, imageOutput } = rates;
  const ofCache = Math.max(rates.cacheRead, rates.cacheWrite5m, rates.cacheWrite1h);
  return {
    ...rates,
    input: Math.max(rates.input, ofCache, audioInput, imageInput),
    output: media ? Math.max(rates.output, audioOutput, imageOutput) : rates.output,
  };
}

function productsOf(rates: WholeRates, tokens: PricedTokens): readonly Product[] {
  const { input, cacheRead, cacheWrite, output } = tokens;
  const { cacheWrite1h = 0, audioInput = 0, imageInput = 0, audioOutput = 0, imageOutput = 0 } = tokens;
  return [
    [input - audioInput - imageInput, rates.input],
    [audioInput, rates.audioInput],
    [imageInput, rates.imageInput],
    [cacheRead, rates.cacheRead],
    [cacheWrite - cacheWrite1h, rates.cacheWrite5m],
    [cacheWrite1h, rates.cacheWrite1h],
    [output - audioOutput - imageOutput, rates.output],
    [audioOutput, rates.audioOutput],
    [imageOutput, rates.imageOutput],
    [PER_MILLION, rates.perCall],
  ];
}

/** A use of a tool has one price, whatever it finds. A tool without a price costs its tokens alone, and so do characters. */
function otherProducts(
  { tools, characters: rate = 0 }: WholePrice,
  uses: Readonly<Record<string, number>> = {},
  characters: number,
): readonly Product[] {
  const spoken: Product = [characters, rate];
  if (tools.size === 0) return [spoken];
  return [
    spoken,
    ...Object.entries(uses).map(([tool, count]): Product => [count, (tools.get(tool) ?? 0) * PER_MILLION]),
  ];
}

function total(products: readonly Product[]): number {
  let sum = 0;
  for (const [units, rate] of products) sum += units * rate;
  // No addend is negative. So if the sum is a safe integer, each product was one, and nothing was rounded.
  if (!Number.isSafeInteger(sum)) return largeTotal(products);
  const rest = sum % PER_MILLION;
  return (sum - rest) / PER_MILLION + (rest > 0 ? 1 : 0);
}

/** The same with numbers of any length. */
function largeTotal(products: readonly Product[]): number {
  const sum = products.reduce((all, [units, rate]) => all + BigInt(units) * BigInt(rate), 0n);
  const cost = (sum + BigInt(PER_MILLION - 1)) / BigInt(PER_MILLION);
  return Number(cost > Number.MAX_SAFE_INTEGER ? BigInt(Number.MAX_SAFE_INTEGER) : cost);
}
