import { checkOneOf, checkOptions, checkWhole, optionError } from '@sluice/core/values';
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
  /** Prompt tokens of sound that no cache knows. Default: `input`. */
  readonly audioInput?: Dollars;
  /** Prompt tokens of images that no cache knows, if the provider states them apart. Default: `input`. */
  readonly imageInput?: Dollars;
  /** Tokens of sound that the model makes. Default: `output`. */
  readonly audioOutput?: Dollars;
  /** Tokens of images that the model makes. Default: `output`. */
  readonly imageOutput?: Dollars;
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
  /**
   * Rates of service tiers, by the names that bodies and answers have for them: `flex`, `priority`. Calls of batches have those of `batch`.
   * A call is charged by the tier that
   * its answer states. A tier that is not listed has the usual rates if it is not dearer, such as `flex`, and is refused otherwise.
   * Default: none.
   */
  readonly tiers?: Readonly<Record<string, Rates & { readonly above?: Price['above'] }>>;
  /**
   * Dollars for each use of a tool that the provider runs, by its type without a date: `{ web_search: '0.01' }`. A tool that is not
   * listed is refused. Default: none.
   */
  readonly tools?: Readonly<Record<string, Dollars>>;
  /**
   * Dollars per million characters of a text that is spoken, beside its tokens: for speech that states no usage, such as that of OpenAI's
   * `tts-1`. Default: none; speech has to state its usage then.
   */
  readonly characters?: Dollars;
  /**
   * Charges the `cost` in dollars that the answer states in its usage, as OpenRouter's do. The rates are then what a call holds, and what
   * it is charged if no cost is stated. Default: the rates decide, unless a larger cost is stated.
   */
  readonly cost?: 'stated';
  /**
   * The most tokens of a prompt that the model reads. A prompt never holds more, whatever it weighs: state it for models of sound, whose files
   * are large. Default: unknown.
   */
  readonly maxInput?: number;
  /**
   * The most tokens that the model makes in one answer, or in one image. Larger caps of callers count as this. Default: unknown; a call for
   * images or speech is refused then where a limit holds the ceiling.
   */
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
  readonly audioInput: number;
  readonly imageInput: number;
  readonly audioOutput: number;
  readonly imageOutput: number;
}

/** The rates of a tier, for prompts of any length. */
export interface WholeTier extends WholeRates {
  readonly above?: WholeRates & { readonly inputTokens: number };
}

/** A price that was checked. */
export interface WholePrice extends WholeTier {
  readonly maxInput?: number;
  readonly maxOutput?: number;
  readonly tiers: ReadonlyMap<string, WholeTier>;
  /** Micro-dollars for each use of a tool. */
  readonly tools: ReadonlyMap<string, number>;
  /** Micro-dollars per million characters; undefined if they cost nothing. */
  readonly characters: number | undefined;
  readonly isStated: boolean;
  /** Whether sound or images have rates of their own. */
  readonly hasMedia: boolean;
}

const MEDIA = ['audioInput', 'imageInput', 'audioOutput', 'imageOutput'] as const;
const RATES = ['input', 'output', 'cacheRead', 'cacheWrite', 'perCall', ...MEDIA] as const;

/** Checks a price. Errors name the path: `prices["gpt-5.6"].input`. */
export function wholePrice(price: Price, path: string): WholePrice {
  checkOptions(price, [...RATES, 'above', 'tiers', 'tools', 'characters', 'cost', 'maxInput', 'maxOutput'], path);
  const { maxInput, maxOutput, tiers = {}, tools = {}, characters, cost } = price;
  if (cost !== undefined) checkOneOf(cost, `${path}.cost`, ['stated']);
  return {
    ...wholeTier(price, path),
    ...(maxInput !== undefined && { maxInput: checkWhole(maxInput, `${path}.maxInput`, 1) }),
    ...(maxOutput !== undefined && { maxOutput: checkWhole(maxOutput, `${path}.maxOutput`, 1) }),
    tiers: new Map(
      entriesOf(tiers, `${path}.tiers`).map(([tier, rates]) => {
        const where = `${path}.tiers["${tier}"]`;
        checkOptions(rates, [...RATES, 'above'], where);
        return [tier, wholeTier(rates, where)];
      }),
    ),
    tools: new Map(
      entriesOf(tools, `${path}.tools`).map(([tool, dollars]) => [
        tool,
        microDollars(dollars, `${path}.tools["${tool}"]`),
      ]),
    ),
    characters: characters === undefined ? undefined : microDollars(characters, `${path}.characters`),
    isStated: cost === 'stated',
    hasMedia: MEDIA.some((rate) => price[rate] !== undefined),
  };
}

function entriesOf<T>(object: Readonly<Record<string, T>>, path: string): readonly [string, T][] {
  if (typeof object === 'object' && object !== null && !Array.isArray(object)) return Object.entries(object);
  throw optionError(path, 'must be an object of prices by name', object);
}

function wholeTier(price: Rates & { readonly above?: Price['above'] }, path: string): WholeTier {
  const { above } = price;
  return { ...wholeRates(price, path), ...(above !== undefined && { above: wholeAbove(above, `${path}.above`) }) };
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
  const { audioInput = input, imageInput = input, audioOutput = output, imageOutput = output } = rates;
  return {
    input: microDollars(input, `${path}.input`),
    output: microDollars(output, `${path}.output`),
    cacheRead: microDollars(cacheRead, `${path}.cacheRead`),
    ...wholeWrites(cacheWrite, `${path}.cacheWrite`),
    perCall: microDollars(perCall, `${path}.perCall`),
    audioInput: microDollars(audioInput, `${path}.audioInput`),
    imageInput: microDollars(imageInput, `${path}.imageInput`),
    audioOutput: microDollars(audioOutput, `${path}.audioOutput`),
    imageOutput: microDollars(imageOutput, `${path}.imageOutput`),
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
