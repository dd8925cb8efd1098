import { type Charge, type KeyHistory, mostGivenBack, unitsOn } from './charges.js';
import { GivenBack } from './given-back.js';
import type { Knowledge } from './knowledge.js';
import { ownUnits, type Seen } from './seen.js';
import type { LimitFacts } from './setup-facts.js';
import { mostByStore } from './worst-case.js';

/** A level is compared with what so many charges before it took, one after another. */
const MOST_CHARGES = 100;

/** A bucket that shows too much. */
interface TooMuch {
  /** What was certainly taken since `sinceMs` and has not come back. */
  readonly taken: number;
  readonly sinceMs: number;
  /** The most that can be taken and left together. */
  readonly most: number;
}

/**
 * What a bucket that refills can have left. "The bound of the bucket is `boundOf(limit, window)` plus the units that came back in the
 * window" (packages/core/docs/returns.md): whatever is left could be taken at once. So for any window that ends with an answer, what was
 * taken in the window and what is left are at most that much together.
 */
export class Levels {
  readonly #knowledge: Knowledge;
  readonly #returns: GivenBack;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
    this.#returns = new GivenBack(knowledge);
  }

  /** Returns why an answer shows more than possible; undefined if it does not, or if nobody can say. */
  moreThanPossible(key: KeyHistory, limit: LimitFacts, seen: Seen): TooMuch | undefined {
    const { conditions, facts } = this.#knowledge;
    const { remaining, blocked } = seen.verdict;
    const bornMs = Number.isFinite(key.bornMs) ? key.bornMs : 0;
    // "Charges may count beyond the limit": a debt has an end.
    if (limit.setup.guarantee || blocked || key.wasOvercharged || conditions.losses(bornMs, seen.toMs) > 0)
      return undefined;
    const { leaseMs, syncMs } = facts.store;
    if (key.resets.length > 0 && leaseMs + syncMs > 0) return undefined;
    if (syncMs > 0 && (conditions.hasFaults || !facts.keepsMessages)) return undefined;
    const knownMs = this.#knownMs(seen);
    const counted: Charge[] = [];
    let sinceMs = seen.fromMs;
    let taken = ownUnits(seen, limit);
    const found = this.#judge(key, limit, seen, { taken, sinceMs, counted });
    if (found) return found;
    const stop = Math.max(0, key.charges.length - MOST_CHARGES);
    for (let i = key.charges.length - 1; i >= stop; i -= 1) {
      const charge = key.charges[i] as Charge;
      if (!isSure(charge, seen, knownMs)) continue;
      sinceMs = Math.min(sinceMs, charge.beganMs);
      taken += unitsOn(charge, limit) - mostGivenBack(charge, limit, seen.toMs, conditions.aheadMs(seen.toMs));
      counted.push(charge);
      const { quota, margin, rate } = limit;
      if (taken + remaining <= quota + margin + Math.floor((rate * (seen.toMs - sinceMs)) / 1000)) continue;
      const found = this.#judge(key, limit, seen, { taken, sinceMs, counted });
      if (found) return found;
    }
    return undefined;
  }

  #judge(
    key: KeyHistory,
    limit: LimitFacts,
    { verdict, toMs }: Seen,
    { taken, sinceMs, counted }: Pick<TooMuch, 'taken' | 'sinceMs'> & { readonly counted: readonly Charge[] },
  ): TooMuch | undefined {
    const { calls, conditions, facts } = this.#knowledge;
    if (key.resets.some(({ beganMs, answeredMs }) => beganMs <= toMs && answeredMs >= sinceMs)) return undefined;
    const lengthMs = (toMs - sinceMs) * (1 + facts.drift) + facts.store.leaseMs * facts.drift + 2;
    const most = mostByStore(facts, [limit], lengthMs, {
      losses: 0,
      cost: calls.largestCost(key.policy),
      instances: conditions.livesSoFar,
    });
    if (taken + verdict.remaining <= most) return undefined;
    const given = this.#returns.between(key, limit, { fromMs: sinceMs, toMs }, counted);
    return taken + verdict.remaining - given > most ? { taken, sinceMs, most: most + given } : undefined;
  }

  /** Returns until when an answer certainly knows of the charges of others. */
  #knownMs({ began, fromMs }: Seen): number {
    const { knownLaterMs, store } = this.#knowledge.facts;
    // "Some requests are always decided by the shared store: `peek` ..." What is in slices was taken from it before.
    if (store.syncMs === 0 && began.step.call === 'peek') return fromMs;
    return fromMs - knownLaterMs;
  }
}

/** Whether a charge was certainly taken before an answer. */
function isSure({ state, source, answeredMs, calls, lives, mayRepeat }: Charge, { began }: Seen, knownMs: number) {
  if (state !== 'admitted' || source !== 'store' || answeredMs > knownMs) return false;
  return !calls.includes(began.call) && lives.length === 1 && !mayRepeat;
}
