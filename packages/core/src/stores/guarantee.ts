// Why it is so: docs/why/margins-and-guarantees.md

import { keptForParts } from '../algorithms/guarantee.js';
import type { CheckEvaluation } from './check-evaluation.js';
import { partsBefore } from './check-parts.js';
import type { LimitAnswer } from './reply.js';
import type { LimitCheck } from './store.js';

/** After this many steps, a wait is that until all parts are unused. It may be too long then, but never too short. */
const MOST_STEPS = 32;

/** Clients are told a wait in seconds, rounded up. */
const ROUNDED_TO_MS = 1000;

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
    this.#whole.margin = 0 - this.#keptForPartsIn(0);
  }

  /** Admits what both parts admit. Otherwise it spends neither part. Call it after the limit itself is judged. */
  grant(units: number, id: string | undefined): void {
    const whole = this.#whole;
    // Somebody who holds a slot is admitted even while nothing else is.
    if (this.#part.allowed && this.#allParts.allowed && (whole.allowed || whole.closedMs === 0)) {
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
    if (this.#closedMs !== 0) return 0;
    const ofThePart = Math.min(this.#part.remaining, this.#allParts.remaining);
    return Math.max(0, ofThePart, this.#whole.limitState.remaining - this.#keptForPartsIn(0));
  }

  get retryAfterMs(): number | 'never' {
    const ofThePart = later(this.#part.retryAfterMs, this.#allParts.retryAfterMs);
    const borrowed = this.#borrowedAfterMs(Math.max(1, this.#whole.cost));
    return later(earlier(ofThePart, borrowed), this.#closedMs);
  }

  /** Milliseconds for which one of the three refuses everything. */
  get #closedMs(): Wait {
    return later(this.#partsClosedMs, this.#whole.closedMs);
  }

  get #partsClosedMs(): Wait {
    return later(this.#part.limitState.untilMs(NO_UNITS), this.#allParts.limitState.untilMs(NO_UNITS));
  }

  /** Returns the units that are kept free for the parts after this time, if nobody comes meanwhile. */
  #keptForPartsIn(ms: number): number {
    return keptForParts(this.#allParts.limitState.availableIn(ms), this.#lend);
  }

  /**
   * Milliseconds until this many units are available that no part needs. The longer the wait, the more units the parts
   * have unused, so each step waits for the units that are kept free at the end of the step before.
   *
   * In a bucket, a part can get a unit back before the limit does. So what fits at one moment may not fit at the next
   * one, and the wait has to be right also if it is rounded up to whole seconds, as in `Retry-After`.
   */
  #borrowedAfterMs(units: number): Wait {
    let waitMs = this.#closedMs;
    for (let step = 0; step < MOST_STEPS && waitMs !== 'never'; step += 1) {
      let untilMs = this.#roomAfterMs(units, waitMs);
      if (untilMs === waitMs) {
        const roundedMs = Math.ceil(waitMs / ROUNDED_TO_MS) * ROUNDED_TO_MS;
        untilMs = this.#roomAfterMs(units, roundedMs);
        if (untilMs === roundedMs || untilMs === 'never') return waitMs;
      }
      waitMs = untilMs;
    }
    return later(waitMs, this.#whole.limitState.untilMs(units + keptForParts(this.#allParts.limit.quota, this.#lend)));
  }

  /** Milliseconds, at least these, until this many units are available beside those that are kept free after these. */
  #roomAfterMs(units: number, ms: number): Wait {
    return later(ms, this.#whole.limitState.untilMs(units + this.#keptForPartsIn(ms)));
  }
}

type Wait = number | 'never';

function later(one: Wait, other: Wait): Wait {
  return one === 'never' || other === 'never' ? 'never' : Math.max(one, other);
}

function earlier(one: Wait, other: Wait): Wait {
  if (one === 'never') return other;
  return other === 'never' ? one : Math.min(one, other);
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
