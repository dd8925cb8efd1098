import { type Decision, type Limit, subscribe } from '@sluice/core';
import { getOrCreate } from '@sluice/core/values';
import { OUTCOMES } from '../catalogue.js';
import type { SampleCollector } from '../read/sample.js';
import { BoundedNames } from './bounded-names.js';
import { MOST_TIERS } from './call-measures.js';

/** `tierOf` of `@sluice/config`: returns the tier of a limit, or undefined if it has none. */
export type TierOf = (limit: Limit) => string | undefined;

interface Series {
  readonly labels: readonly [policy: string, tier: string, outcome: (typeof OUTCOMES)[number]];
  count: number;
}

/** Counts decisions by the tier of the request: that of the first limit with one. */
export class TierDecisions {
  readonly #tiers = new BoundedNames(MOST_TIERS);
  readonly #series = new Map<string, Series>();
  /** Ends the counting. */
  readonly stop: () => void;

  /** @param policyOf - returns the name by which a policy is shown */
  constructor(tierOf: TierOf, policyOf: (policy: string) => string) {
    this.stop = subscribe('sluice:decision', ({ decision }: { readonly decision: Decision }) => {
      for (const { limit } of decision.verdicts) {
        const tier = tierOf(limit);
        if (tier === undefined) continue;
        this.#add([policyOf(decision.policy), this.#tiers.of(tier), outcomeOf(decision)]);
        return;
      }
    });
  }

  addTo(collector: SampleCollector): void {
    for (const { labels, count } of this.#series.values()) collector.add('tierDecisions', count, ...labels);
  }

  #add(labels: Series['labels']): void {
    const [policy, tier] = labels;
    // All outcomes begin together, so that shares can be computed from the first one on.
    for (const outcome of OUTCOMES) this.#seriesOf([policy, tier, outcome]);
    this.#seriesOf(labels).count += 1;
  }

  #seriesOf(labels: Series['labels']): Series {
    return getOrCreate(this.#series, labels.join('\0'), () => ({ labels, count: 0 }));
  }
}

function outcomeOf({ allowed, shadowed }: Decision): Series['labels'][2] {
  if (!allowed) return 'refused';
  return shadowed ? 'shadowed' : 'allowed';
}
