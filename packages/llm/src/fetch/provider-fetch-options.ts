import { randomInt } from 'node:crypto';
import type { BreakerOptions } from '@sluice/client';
import { type Clock, type Duration, wallClock } from '@sluice/core';
import { checkFunction, checkOneOf, checkOptions, clockOf, durationMs, optionError } from '@sluice/core/values';
import { checkReadOptions, type ReadCallOptions } from '../call/read-call.js';
import { checkProvider, type ProviderName, type ProviderProfile } from '../dialects/providers.js';
import { checkPriceTable, type PriceTable } from '../money/price-table.js';
import { type CheckedWeights, checkedWeights, type TokenWeights } from '../settle/token-weights.js';

/** The options of `providerFetch`. */
export interface ProviderFetchOptions {
  /** The longest time that a call waits for its turn. A wait that would be longer does not begin. Default: `'60s'`. */
  readonly maxWait?: Duration;
  /**
   * Prices of models, to settle limits of money. A model without a price keeps what it holds. Default: those of `createLlm`, whose limits
   * they are; limits that are written by hand keep what they hold.
   */
  readonly prices?: PriceTable;
  /**
   * How much cached and reasoning tokens count. Default: as for `createLlm`, whose limits they are; otherwise
   * `{ cacheRead: 0, cacheWrite: 1, reasoning: 1 }`.
   */
  readonly tokenWeights?: TokenWeights;
  /**
   * How calls are read: the dialect, the model, and an exact counter of tokens. With a dialect, every POST is a call of it. Default: by
   * address and body.
   */
  readonly read?: ReadCallOptions;
  /**
   * What differs from OpenAI where the provider speaks its dialects. Default: by the host, of which those of Azure, OpenRouter,
   * Mistral and DeepSeek are known.
   */
  readonly provider?: ProviderName | ProviderProfile;
  /**
   * What happens to a request that is neither a call of a model that is known, nor known to cost nothing. `'refuse'` (default): it
   * rejects with `SLUICE_LLM_CALL`, and is not sent. `'count'`: it is counted as a completion whose prompt is the text of its body, with
   * the `model` and the caps that stand there, and is settled as the answer states. Either way the process is warned once.
   */
  readonly unrecognized?: 'refuse' | 'count';
  /** How long an answer may make no progress before its call is settled as held. Default: `'15m'`. */
  readonly maxHold?: Duration;
  /**
   * When calls are not sent because the provider does not answer, or refuses most of them; `false`: never. Such a call gets a 503 with
   * `x-should-retry: false`. Default: that of `limitedFetch`.
   */
  readonly breaker?: BreakerOptions | false;
  /** What sends the calls. Default: the global `fetch`, as it is at the time of the call. */
  readonly fetch?: typeof fetch;
  /** The clock of pauses and of `maxHold`, for tests: that of the store. Default: `wallClock`. */
  readonly clock?: Clock;
  /** Returns numbers from 0 to below 1, for tests. Default: random numbers. */
  readonly random?: () => number;
}

/** Options of `providerFetch` with their defaults. */
interface CheckedFetchOptions {
  readonly maxWait: Duration;
  readonly prices: PriceTable | undefined;
  readonly weights: CheckedWeights | undefined;
  readonly read: ReadCallOptions;
  readonly provider: ProviderName | ProviderProfile | undefined;
  readonly unrecognized: 'refuse' | 'count';
  readonly maxHoldMs: number;
  readonly breaker: BreakerOptions | false | undefined;
  readonly fetch: typeof fetch | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

const OPTIONS = [
  'maxWait',
  'prices',
  'tokenWeights',
  'read',
  'provider',
  'unrecognized',
  'maxHold',
  'breaker',
  'fetch',
  'clock',
  'random',
] as const;

/**
 * Checks the arguments of `providerFetch`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkedFetchOptions(limiter: unknown, options: ProviderFetchOptions): CheckedFetchOptions {
  if (typeof Object(limiter).wait !== 'function')
    throw optionError('limiter', 'must be a limiter, as createLimiter() returns it', limiter);
  checkOptions(options, OPTIONS);
  const { read = {}, maxWait = '60s', clock, random = randomFraction } = options;
  checkReadOptions(read, 'read');
  checkFunction(random, 'random');
  const unrecognized = checkOneOf(options.unrecognized ?? 'refuse', 'unrecognized', ['refuse', 'count'] as const);
  return {
    maxWait,
    prices: checkPriceTable(options.prices),
    weights: options.tokenWeights && checkedWeights(options.tokenWeights),
    read,
    provider: options.provider === undefined ? undefined : checkProvider(options.provider, 'provider'),
    unrecognized,
    maxHoldMs: durationMs(options.maxHold ?? '15m', 'maxHold'),
    breaker: options.breaker,
    fetch: options.fetch,
    clock: clock === undefined ? wallClock : clockOf(clock),
    random,
  };
}

function randomFraction(): number {
  const steps = 2 ** 32;
  return randomInt(steps) / steps;
}
