import { checkOptions, optionError } from '@sluice/core/values';
import type { Usage } from '../usage/usage.js';

/** How much a token counts on limits of tokens, by its class. Money has its own prices. */
export interface TokenWeights {
  /** A prompt token that was read from the provider's cache. Default: 0. */
  readonly cacheRead?: number;
  /** A prompt token that was written to the provider's cache. Default: 1. */
  readonly cacheWrite?: number;
  /** An output token that the model made before its answer. Default: 1. */
  readonly reasoning?: number;
}

/** Weights in thousandths, so that sums are whole numbers. */
export interface CheckedWeights {
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

const THOUSAND = 1000;
const DEFAULTS = { cacheRead: 0, cacheWrite: 1, reasoning: 1 } as const;

/** Above this, nobody means a weight. */
const LARGEST = 100;

/**
 * Checks weights, and returns them in thousandths.
 *
 * @param largest - a call that holds the most that it can use has no room for tokens that count more than one
 * @throws SluiceError `SLUICE_OPTION` if one is no number from 0 to `largest` with at most three decimals
 */
export function checkedWeights(weights: TokenWeights = {}, largest: number = LARGEST): CheckedWeights {
  checkOptions(weights, Object.keys(DEFAULTS), 'tokenWeights');
  const weightOf = (kind: keyof typeof DEFAULTS): number => {
    const { [kind]: weight = DEFAULTS[kind] } = weights;
    const thousandths = Math.round(weight * THOUSAND);
    // The nearest thousandth divides back to the same number only if there are no further decimals.
    if (weight >= 0 && weight <= largest && thousandths / THOUSAND === weight) return thousandths;
    const where = largest === LARGEST ? '' : " with hold: 'ceiling'";
    const rule = `must be a number from 0 to ${largest} with at most three decimals${where}`;
    throw optionError(`tokenWeights.${kind}`, rule, weight);
  };
  return { cacheRead: weightOf('cacheRead'), cacheWrite: weightOf('cacheWrite'), reasoning: weightOf('reasoning') };
}

/** The tokens that limits count, rounded up. */
interface WeightedTokens {
  readonly input: number;
  readonly output: number;
  /** Of both together, rounded up once. */
  readonly tokens: number;
}

/** Returns the tokens that limits count for a usage. */
export function weightedTokens(usage: Usage, weights: CheckedWeights): WeightedTokens {
  const input = usage.input * THOUSAND + usage.cacheRead * weights.cacheRead + usage.cacheWrite * weights.cacheWrite;
  const output = (usage.output - usage.reasoning) * THOUSAND + usage.reasoning * weights.reasoning;
  return { input: up(input), output: up(output), tokens: up(input + output) };
}

function up(thousandths: number): number {
  return Math.ceil(thousandths / THOUSAND);
}
