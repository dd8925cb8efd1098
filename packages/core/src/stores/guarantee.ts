// Why it is so: docs/why/margins-and-guarantees.md

import {
  borrowedAfterMs,
  isGranted,
  keptForPartsAfter,
  later,
  remainingWithParts,
  retryWithParts,
  type Wait,
} from '../algorithms/arithmetic/guarantee.js';
import type { CheckEvaluation } from './check-evaluation.js';
import { partsBefore } from './check-parts.js';
import type { LimitAnswer } from './reply.js';
import type { LimitCheck } from './store.js';

/** As few units as a block alone can refuse. */
const NO_UNITS = Number.NEGATIVE_INFINITY;

/**
 * Decides about a limit with guaranteed parts, and is its answer: what a request can get as its own part or from units
 * that others leave unused.
 *
 * The units admitted by the limit, plus those kept free for the parts, never exceed the limit: a unit of a part that is
 * spent on all three checks is not kept free any more, and it comes back to all three at the same time. So at most the
 * units that were lent exceed the limit.
 */
class Guarantee implements LimitAnswer {
  readonly #lend: number;
  readonly #part: CheckEvaluation;
  readonly #allParts: CheckEvaluation;
  readonly #whole: CheckEvaluation;

  constructor(part: CheckEvaluation, allParts: CheckEvaluation, whole: CheckEvaluation, lend: number) {
    this.#part = part;
    this.#allParts = allParts;
    this.#whole = whole;
    this.#lend = lend;
  }

  /** Keeps free what the parts may still need. Call it before the limit itself is judged. */
  keepFree(): void {
    this.#whole.margin = 0 - this.#kept;
  }

  /** Admits what both parts admit. Otherwise it spends neither part. Call it after the limit itself is judged. */
  grant(units: number, id: string | undefined): void {
    const whole = this.#whole;
    if (isGranted(this.#part.allowed, this.#allParts.allowed, whole.allowed, whole.closedMs)) {
      whole.admit(units, id);
      return;
    }
    this.#part.deny();
    this.#allParts.deny();
    if (this.#partsClosedMs !== 0) whole.deny();
  }

  get allowed(): boolean {
    return this.#whole.allowed;
  }

  get delayMs(): number {
    return this.#whole.delayMs;
  }

  get overQuota(): number {
    return this.#whole.overQuota;
  }

  get blocked(): boolean {
    return this.#whole.blocked;
  }

  get used(): number {
    return this.#whole.used;
  }

  get resetAfterMs(): number | 'never' {
    return this.#whole.resetAfterMs;
  }

  get remaining(): number {
    const { remaining } = this.#whole.limitState;
    return remainingWithParts(this.#closedMs, this.#part.remaining, this.#allParts.remaining, remaining, this.#kept);
  }

  get retryAfterMs(): Wait {
    const units = Math.max(1, this.#whole.cost);
    const { limitState, limit } = this.#allParts;
    const closedMs = this.#closedMs;
    const borrowedMs = borrowedAfterMs(this.#whole.limitState, limitState, limit.quota, this.#lend, units, closedMs);
    return retryWithParts(later(this.#part.retryAfterMs, this.#allParts.retryAfterMs), borrowedMs, closedMs);
  }

  /** Milliseconds for which one of the three refuses everything. */
  get #closedMs(): Wait {
    return later(this.#partsClosedMs, this.#whole.closedMs);
  }

  get #partsClosedMs(): Wait {
    return later(this.#part.limitState.untilMs(NO_UNITS), this.#allParts.limitState.untilMs(NO_UNITS));
  }

  /** The units that are kept free for the parts now. */
  get #kept(): number {
    const { limitState, limit } = this.#allParts;
    return keptForPartsAfter(limitState, limit.quota, this.#lend, 0);
  }
}

/**
 * Returns the guarantee of the check at this place; undefined if it has no parts.
 *
 * @param checks - those of a request or change that `listParts` has made
 * @param evaluations - one for each of them
 */
export function guaranteeAt(
  checks: readonly LimitCheck[],
  index: number,
  evaluations: readonly CheckEvaluation[],
): Guarantee | undefined {
  const parts = checks[index]?.parts;
  if (parts === undefined) return undefined;
  const [own, all] = partsBefore(evaluations, index);
  return new Guarantee(own, all, evaluations[index] as CheckEvaluation, parts.lend);
}
