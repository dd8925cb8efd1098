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
   * Returns the most units that were given back to a key between two moments, beside those of these charges. Infinity: nobody can
   * say.
   */
  between(key: KeyHistory, limit: LimitFacts, { fromMs, toMs }: Span, except: readonly Charge[]): number {
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

  /** Whether units of a charge may have come back since some moment. */
  #mayGiveBackSince(charge: Charge, fromMs: number): boolean {
    if (charge.expiries.some(({ givesBack }) => givesBack)) return true;
    if (charge.corrections.every((correction) => this.#certainty.isOver(charge, correction, fromMs))) return false;
    return this.#certainty.madeBefore(charge, fromMs) === undefined;
  }
}
