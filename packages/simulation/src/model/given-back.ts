import { Certainty } from './certainty.js';
import { type Charge, type KeyHistory, mostGivenBack } from './charges.js';
import type { Span } from './conditions.js';
import type { Knowledge } from './knowledge.js';
import type { LimitFacts } from './setup-facts.js';

/** What may have come back to a key. */
export class GivenBack {
  readonly #knowledge: Knowledge;
  readonly #certainty: Certainty;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
    this.#certainty = new Certainty(knowledge);
  }

  /**
   * Returns the most units that were given back to a key and count between two moments, beside those of these charges. Infinity:
   * nobody can say.
   */
  between(key: KeyHistory, limit: LimitFacts, span: Span, except: readonly Charge[]): number {
    const { toMs } = span;
    const fromMs = span.fromMs - this.#countsEarlierMs(limit);
    let sum = 0;
    for (const { beganMs, answeredMs, units } of key.refunds) {
      if (beganMs <= toMs && answeredMs >= fromMs) sum += units;
    }
    const { conditions } = this.#knowledge;
    const { hasLosses } = conditions;
    const isTied = limit.algorithm === 'sliding-window' || limit.algorithm === 'sliding-window-log';
    if (isTied && !hasLosses && key.resets.length === 0) return sum;
    const own = new Set(except);
    for (const charge of key.charges) {
      if (own.has(charge) || charge.state === 'open' || !this.#mayGiveBackSince(charge, fromMs)) continue;
      sum += mostGivenBack(
        charge,
        charge.limits.find(({ name }) => name === limit.name) ?? limit,
        toMs,
        conditions.aheadMs(toMs),
      );
    }
    // Servers that lost the ids of corrections make them again.
    if (hasLosses && key.charges.some(({ corrections }) => corrections.length > 1)) return Number.POSITIVE_INFINITY;
    return sum;
  }

  /**
   * "Over a `LeasedStore`, those of one lease before the window are added, too: they fill the bucket while processes still have units of
   * it" (packages/core/docs/returns.md).
   */
  #countsEarlierMs({ algorithm, rate }: LimitFacts): number {
    const { drift, store } = this.#knowledge.facts;
    return algorithm === 'token-bucket' && rate > 0 ? store.leaseMs * (1 + drift) : 0;
  }

  /** Whether units of a charge may have come back since some moment. */
  #mayGiveBackSince(charge: Charge, fromMs: number): boolean {
    if (charge.expiries.some(({ givesBack }) => givesBack)) return true;
    if (charge.corrections.every((correction) => this.#certainty.isOver(charge, correction, fromMs))) return false;
    return this.#certainty.madeBefore(charge, fromMs) === undefined;
  }
}
