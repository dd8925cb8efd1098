// Why it is so: core/docs/why/metrics.md

import type { MetricId } from '../catalogue.js';
import { BoundedNames } from './bounded-names.js';
import type { SettledCall } from './settled-call.js';

/** The histograms of calls of models, with the ends of their buckets. */
export const CALL_BUCKETS = {
  callCost: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  callTokens: [16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576],
  callEstimate: [0.25, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 4, 10],
} as const satisfies Partial<Record<MetricId, readonly number[]>>;

/** The name of such a histogram in the catalogue. */
export type CallMetric = keyof typeof CALL_BUCKETS;

/** One value of a call. */
interface CallMeasure {
  readonly metric: CallMetric;
  readonly value: number;
  /** The values of the labels, in the order of the catalogue. */
  readonly labels: readonly string[];
}

/** So many models and tiers are told apart. Names of models may come from callers. */
export const MOST_MODELS = 100;
export const MOST_TIERS = 20;

const DOLLAR = 1_000_000;

/** Says what each call adds to the histograms, under a bounded number of names. */
export class CallMeasures {
  readonly #models = new BoundedNames(MOST_MODELS);
  readonly #tiers = new BoundedNames(MOST_TIERS);
  readonly #policyOf: (policy: string) => string;

  /** @param policyOf - returns the name by which a policy is shown */
  constructor(policyOf: (policy: string) => string) {
    this.#policyOf = policyOf;
  }

  of({ policy, tier = '', call, end, usage, microDollars, held }: SettledCall): readonly CallMeasure[] {
    const isKnown = end === 'complete';
    // Only a provider's answer shows that there is such a model: a caller can write any name.
    const model = this.#models.of(call.model, isKnown);
    const names = [this.#policyOf(policy), model, tier === '' ? '' : this.#tiers.of(tier)];
    const input = usage.input + usage.cacheRead + usage.cacheWrite;
    const measure = (metric: CallMetric, value: number, ...more: string[]): CallMeasure => ({
      metric,
      value,
      labels: [...names, ...more],
    });
    return [
      ...(microDollars === undefined ? [] : [measure('callCost', microDollars / DOLLAR)]),
      ...(isKnown ? [measure('callTokens', input, 'input'), measure('callTokens', usage.output, 'output')] : []),
      ...(isKnown && input > 0 ? [measure('callEstimate', call.input / input, 'prompt')] : []),
      ...(isKnown && microDollars !== undefined && microDollars > 0 && held.microDollars !== undefined
        ? [measure('callEstimate', held.microDollars / microDollars, 'money')]
        : []),
    ];
  }
}
