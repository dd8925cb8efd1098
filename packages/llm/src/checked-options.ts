import { type Clock, type Resolver, wallClock } from '@sluice/core';
import {
  checkFunction,
  checkOneOf,
  checkOptions,
  checkWhole,
  clockOf,
  durationMs,
  optionError,
} from '@sluice/core/values';
import { type CheckedRules, checkedRules } from './call/body-rules.js';
import type { LlmCall } from './call/llm-call.js';
import { checkReadOptions } from './call/read-call.js';
import { UNSEEN } from './call/tokens/media.js';
import { checkProvider, type ProviderName, type ProviderProfile } from './dialects/providers.js';
import { VENDOR_NAMES, type VendorName } from './dialects/vendor.js';
import type { LlmOptions } from './llm-options.js';
import { checkPriceTable, type PriceTable } from './money/price-table.js';
import { type CheckedHold, checkedHold } from './plan/hold.js';
import { type CheckedWeights, checkedWeights } from './settle/token-weights.js';

/** Options of `createLlm` with their defaults. */
export interface CheckedOptions {
  readonly prices: PriceTable | undefined;
  readonly rules: CheckedRules;
  /** The most tokens of what only the provider sees. */
  readonly unseen: number;
  readonly timeZone: string;
  readonly weights: CheckedWeights;
  readonly hold: CheckedHold;
  readonly expectedOutput: number | Resolver<[call: LlmCall], number> | undefined;
  readonly unknownUsage: 'counted' | 'reserved' | undefined;
  readonly maxHoldMs: number;
  readonly maxBatchHoldMs: number;
  /** Returns what differs from OpenAI for a call. */
  readonly providerOf: (call: LlmCall) => ProviderName | ProviderProfile;
  readonly headers: VendorName | 'dialect' | false;
  readonly errors: VendorName | 'dialect' | 'problem';
  readonly budgetStatus: 429 | 402 | 403;
  readonly showBudget: boolean;
  readonly clock: Clock;
}

const OPTIONS = [
  'call',
  'plan',
  'scopes',
  'planOfKey',
  'prices',
  'body',
  'timeZone',
  'tokenWeights',
  'hold',
  'expectedOutput',
  'unknownUsage',
  'maxHold',
  'maxBatchHold',
  'batchFile',
  'read',
  'provider',
  'headers',
  'errors',
  'budgetStatus',
  'showBudget',
  'clock',
] as const;

/** The longest output that anybody expects: more would not be counted exactly. */
const MOST_OUTPUT = 1_000_000_000;

/**
 * Checks the options that are not about plans.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkedOptions<A extends readonly unknown[]>(options: LlmOptions<A>): CheckedOptions {
  checkOptions(options, OPTIONS, '', { page: 'docs/options.md of @sluice/llm' });
  checkFunction(options.call, 'call');
  const { timeZone = 'UTC', expectedOutput, clock, unknownUsage } = options;
  const prices = checkPriceTable(options.prices);
  if (typeof expectedOutput !== 'function' && expectedOutput !== undefined)
    checkExpected(expectedOutput, 'expectedOutput');
  const hold = checkedHold(options.hold);
  if (expectedOutput !== undefined && hold.tokens === 'ceiling' && hold.money === 'ceiling')
    throw optionError('expectedOutput', "has no meaning with hold: 'ceiling': set maxOutput of prices", expectedOutput);
  if (options.planOfKey !== undefined) checkFunction(options.planOfKey, 'planOfKey');
  if (options.batchFile !== undefined) checkFunction(options.batchFile, 'batchFile');
  // A wrong way to read would show only with the first call.
  if (options.read !== undefined) checkReadOptions(options.read, 'read');
  if (unknownUsage !== undefined) checkOneOf(unknownUsage, 'unknownUsage', ['counted', 'reserved']);
  return {
    prices,
    rules: checkedRules(options.body),
    unseen: options.read?.unseen ?? UNSEEN.most,
    timeZone,
    weights: checkedWeights(options.tokenWeights, hold.tokens === 'ceiling' ? 1 : undefined),
    hold,
    expectedOutput,
    unknownUsage,
    maxHoldMs: durationMs(options.maxHold ?? '15m', 'maxHold'),
    maxBatchHoldMs: durationMs(options.maxBatchHold ?? '48h', 'maxBatchHold'),
    providerOf: providerOption(options.provider ?? 'openai'),
    headers: checkOneOf(options.headers ?? 'dialect', 'headers', ['dialect', ...VENDOR_NAMES, false] as const),
    errors: checkOneOf(options.errors ?? 'dialect', 'errors', ['dialect', ...VENDOR_NAMES, 'problem'] as const),
    budgetStatus: checkOneOf(options.budgetStatus ?? 429, 'budgetStatus', [429, 402, 403] as const),
    showBudget: checkOneOf(options.showBudget ?? false, 'showBudget', [true, false]),
    clock: clock === undefined ? wallClock : clockOf(clock),
  };
}

function providerOption(provider: NonNullable<LlmOptions<never>['provider']>): CheckedOptions['providerOf'] {
  if (typeof provider === 'function') return (call) => checkProvider(provider(call), 'provider()');
  checkProvider(provider, 'provider');
  return () => provider;
}

/** Checks a number of output tokens. */
export function checkExpected(tokens: unknown, path: string): number {
  return checkWhole(tokens, path, 0, MOST_OUTPUT);
}
