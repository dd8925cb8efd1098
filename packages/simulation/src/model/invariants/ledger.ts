import type { CallEnded, DecisionSeen, Observation, VerdictSeen } from '../../fleet/observation.js';
import type { CallRecord } from '../calls.js';
import { Certainty } from '../certainty.js';
import {
  type Charge,
  givenBackBy,
  isCorrectedBy,
  type KeyHistory,
  mostChargedMore,
  mostGivenBack,
  unitsOn,
} from '../charges.js';
import type { Knowledge } from '../knowledge.js';
import { Levels } from '../levels.js';
import { ownUnits, type Seen } from '../seen.js';
import { costOn, type LimitFacts } from '../setup-facts.js';
import { REMEMBERED_MS } from '../stated-times.js';
import type { Invariant, Violation } from '../violation.js';

/** "The process refuses the same key by itself, for at most a tenth of a second" (packages/redis/docs/keys-and-calls.md). */
const REFUSED_AGAIN_MS = 110;

/** What one node charged is given back, when another one refused: "for a moment a key may have less left than it should". */
const A_MOMENT_MS = 1000;

/** A unit may count a twentieth of the window longer (packages/core/docs/algorithms.md, Sliding window). */
const PARTS_OF_A_WINDOW = 20;

/**
 * What is spent is counted, once: "What was spent stays spent." "A refused request spends nothing on any of them" (`all-or-nothing`,
 * README.md, What it promises). "A repeated call with the same id charges nothing." "`used`: the units that count now. `remaining`: the units
 * that are left, after this request" (packages/core/docs/answers.md).
 *
 * Of windows and of buckets that never refill, one knows how much is spent at least and at most, while nothing was lost. Of a bucket that
 * refills, one knows how much it can have left after what was taken.
 */
export class Ledger implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #certainty: Certainty;
  readonly #levels: Levels;
  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
    this.#certainty = new Certainty(knowledge);
    this.#levels = new Levels(knowledge);
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind !== 'answer' || !('decision' in observation.outcome)) return undefined;
    const { calls, conditions } = this.#knowledge;
    const { decision } = observation.outcome;
    const record = calls.record(observation.call);
    if (!record?.policy || decision.source !== 'store' || conditions.isResting(observation.atMs)) return undefined;
    const { step } = record.began;
    // The answer to a repeated call is about another moment, and so may be that of a caller who waited.
    if (step.call === 'wait' || ('id' in step && step.id !== undefined)) return undefined;
    if (conditions.hasSetClocks || !calls.variants.isUnchanged(record.policy)) return undefined;
    const limits = record.policy.variants[record.began.variant] ?? [];
    const keys = calls.keysOfCall(record);
    for (let i = 0; i < keys.length; i += 1) {
      const limit = limits[i] as LimitFacts;
      const verdict = decision.verdicts.find(({ name }) => name === limit.name);
      if (!verdict || !isCounted(limit) || (verdict.allowed && this.#mayBeMissing(record, decision))) continue;
      const seen = this.#seenBy(record, observation, decision, verdict);
      const key = keys[i] as KeyHistory;
      const found = limit.rate > 0 ? this.#compareLevel(key, limit, seen) : this.#compare(key, limit, seen);
      if (found) return found;
    }
    return undefined;
  }

  /** "If one of the others refuses, the refusal stands": nothing is known then of the limits on a node that failed. */
  #mayBeMissing({ policy }: CallRecord, { allowed }: DecisionSeen): boolean {
    return !allowed && this.#knowledge.facts.store.isSharded && policy?.isMixed === true;
  }

  #seenBy({ began }: CallRecord, { atMs }: CallEnded, decision: DecisionSeen, verdict: VerdictSeen): Seen {
    const isCached = !decision.allowed && !this.#knowledge.facts.store.isMemory;
    return { began, decision, verdict, fromMs: began.atMs - (isCached ? REFUSED_AGAIN_MS : 0), toMs: atMs };
  }

  #compare(key: KeyHistory, limit: LimitFacts, seen: Seen): Violation | undefined {
    const { conditions, facts } = this.#knowledge;
    const { verdict, toMs } = seen;
    const bornMs = Number.isFinite(key.bornMs) ? key.bornMs : 0;
    if (conditions.losses(bornMs, toMs) > 0) return undefined;
    const own = ownUnits(seen, limit);
    const period = this.#periodOf(key, limit, seen);
    const least = this.#least(key, limit, seen, period);
    if (verdict.used < least) return this.#found(key, limit, seen, `at least ${least} are spent`);
    const isOpen = limit.setup.guarantee !== undefined || verdict.blocked === true;
    // A process that holds units of a slice may spend them, whatever was charged beyond the limit.
    const mayHold = key.wasOvercharged && facts.store.leaseMs + facts.store.syncMs > 0;
    if (!isOpen && !mayHold && limit.margin === 0 && verdict.remaining > Math.max(0, limit.quota - least)) {
      return this.#found(key, limit, seen, `at least ${least} are spent`);
    }
    if (facts.store.leaseMs > 0 || facts.store.syncMs > 0 || facts.mayChargeTwice) return undefined;
    const { most, refused } = this.#most(key, limit, seen, period);
    const others = most + this.#ownCopies(limit, seen);
    const spent = others + own;
    if (verdict.used > spent) {
      const isByRefused = verdict.used <= spent + refused;
      return this.#found(key, limit, seen, `at most ${spent} are spent`, isByRefused ? 'all-or-nothing' : 'ledger');
    }
    if (isOpen) return undefined;
    if (limit.margin === 0 && limit.blockMs === 0 && verdict.remaining < limit.quota - spent) {
      return this.#found(key, limit, seen, `at most ${spent} are spent`);
    }
    // A limit of 0 refuses everything.
    const isWronglyRefused =
      limit.quota > 0 && !verdict.allowed && limit.blockMs === 0 && others + verdict.cost <= limit.quota;
    if (isWronglyRefused && !isCorrection(seen)) {
      return this.#found(key, limit, seen, `it was refused ${verdict.cost}, and at most ${others} are spent`);
    }
    return undefined;
  }

  /** A bucket that refills shows no more than it can hold. */
  #compareLevel(key: KeyHistory, limit: LimitFacts, seen: Seen): Violation | undefined {
    const found = this.#levels.moreThanPossible(key, limit, seen);
    if (!found) return undefined;
    const { taken, sinceMs, most } = found;
    const why = `${taken} were taken since ${sinceMs.toFixed(1)}, and at most ${most} are possible`;
    return this.#found(key, limit, seen, why);
  }

  /** Of a fixed window, the answer says when it ends. */
  #periodOf(key: KeyHistory, limit: LimitFacts, { verdict, fromMs, toMs }: Seen): Period | undefined {
    const { drift } = this.#knowledge.facts;
    if (limit.algorithm !== 'fixed-window') return undefined;
    const { blocked, resetAfterMs, used } = verdict;
    const isFirst = 'align' in limit.numbers && limit.numbers.align === 'clock' ? undefined : key.bornMs;
    const isOne = isFirst !== undefined && toMs < isFirst + limit.windowMs / (1 + drift) - 1;
    if (isOne) return { allSinceMs: isFirst, noneBeforeMs: Number.NEGATIVE_INFINITY };
    if (
      drift > 0 ||
      used === 0 ||
      blocked ||
      limit.blockMs > 0 ||
      typeof resetAfterMs !== 'number' ||
      resetAfterMs <= 0
    )
      return undefined;
    return {
      allSinceMs: toMs + resetAfterMs + 1 - limit.windowMs,
      noneBeforeMs: fromMs + resetAfterMs - 1 - limit.windowMs,
    };
  }

  /** Returns the units that certainly count in an answer. */
  #least(key: KeyHistory, limit: LimitFacts, seen: Seen, period: Period | undefined): number {
    const { conditions, facts } = this.#knowledge;
    const { drift, store, keepsMessages } = facts;
    const isFixed = limit.algorithm === 'fixed-window';
    if (isFixed && !period) return 0;
    if (store.syncMs > 0 && (conditions.hasFaults || !keepsMessages)) return 0;
    // "Units that others hold are spent, or come back, within one lease or within that minute."
    const wasReset = key.resets.length > 0;
    if (wasReset && store.leaseMs + store.syncMs > 0) return 0;
    const knownMs = seen.fromMs - facts.knownLaterMs;
    let spent = ownUnits(seen, limit);
    let returned = 0;
    for (const charge of key.charges) {
      if (wasReset && this.#mayTakeFromOthers(key, charge, seen)) returned += unitsOn(charge, limit);
      if (charge.state !== 'admitted' || charge.source !== 'store' || charge.answeredMs > knownMs) continue;
      if (charge.calls.includes(seen.began.call) || charge.lives.length > 1 || charge.mayRepeat) continue;
      const counts = isFixed
        ? charge.beganMs >= (period as Period).allSinceMs
        : seen.toMs < charge.beganMs + limit.windowMs / (1 + drift) - 1;
      const isGone = !counts || key.resets.some(({ answeredMs }) => answeredMs >= charge.beganMs);
      // What a forgotten charge gives back may be taken from what was charged at the same time.
      if (isGone && !wasReset) continue;
      if (!isGone) spent += unitsOn(charge, limit);
      returned += mostGivenBack(charge, limit, seen.toMs, conditions.aheadMs(seen.toMs));
    }
    for (const { beganMs, units } of key.refunds) if (beganMs <= seen.toMs) returned += units;
    // "Charges may count beyond the limit. Then the newest units are kept, twice the limit at most, and the oldest are dropped."
    return Math.max(0, (key.wasOvercharged ? Math.min(spent, limit.quota) : spent) - returned);
  }

  /**
   * "A reset forgets charges, and not who may still give them back" (packages/core/docs/returns.md): nodes do so for a request that
   * they did not admit together.
   */
  #mayTakeFromOthers({ resets }: KeyHistory, charge: Charge, { began }: Seen): boolean {
    const { isPrompt, store } = this.#knowledge.facts;
    if (!store.isSharded || !charge.policy.isMixed || charge.calls.includes(began.call)) return false;
    if (charge.state === 'admitted' && charge.source === 'store') return false;
    const { beganMs } = charge;
    const untilMs = charge.answeredMs + A_MOMENT_MS;
    const isOver = isPrompt && !this.#certainty.isShaky(charge, untilMs);
    return resets.some((reset) => reset.answeredMs >= beganMs && (!isOver || reset.beganMs <= untilMs));
  }

  /** Returns the units that may count in an answer, beside its own; and those of requests that were refused. */
  #most(key: KeyHistory, limit: LimitFacts, seen: Seen, period: Period | undefined): { most: number; refused: number } {
    let most = 0;
    let refused = 0;
    for (const charge of key.charges) {
      if (charge.calls.includes(seen.began.call)) continue;
      if (this.#isGone(charge, limit, seen, period)) {
        most += this.#mostChargedLate(charge, limit, seen);
        continue;
      }
      const units = unitsOn(charge, limit);
      if (this.#isSurelyRefused(charge, seen)) refused += units;
      else most += this.#mostOf(key, limit, charge, seen);
    }
    return { most, refused };
  }

  /** Whether what a charge spent counts no more. */
  #isGone(charge: Charge, limit: LimitFacts, { fromMs }: Seen, period: Period | undefined): boolean {
    // "A decision carries the time after which it charges nothing" (packages/redis/docs/when-redis-fails.md): a charge without a check carries none.
    if (charge.isUnchecked && charge.source !== 'store') return false;
    // A repeated call is decided anew if the first one was lost.
    const repeatedMs = charge.calls.length > 1 ? charge.lastBeganMs + 2 * this.#knowledge.facts.store.timeoutMs : 0;
    let lastMs = Math.max(charge.answeredMs, repeatedMs);
    for (const { answeredMs } of charge.corrections) lastMs = Math.max(lastMs, answeredMs);
    if (limit.algorithm === 'fixed-window') return period !== undefined && lastMs < period.noneBeforeMs;
    if (limit.algorithm === 'token-bucket') return false;
    const countsMs = limit.windowMs + Math.ceil(limit.windowMs / PARTS_OF_A_WINDOW) + 2;
    return fromMs >= lastMs + countsMs * (1 + this.#knowledge.facts.drift);
  }

  /** "A correction carries no such time, but an id. It is right however late it comes" (packages/core/docs/why/remote-stores.md). */
  #mostChargedLate(charge: Charge, limit: LimitFacts, { fromMs }: Seen): number {
    const more = mostChargedMore(charge, limit);
    const isOver = more === 0 || charge.corrections.every((one) => this.#certainty.isOver(charge, one, fromMs));
    return isOver ? 0 : more;
  }

  #isSurelyRefused(charge: Charge, { fromMs }: Seen): boolean {
    if (charge.state !== 'refused' || (charge.source !== undefined && charge.source !== 'store')) return false;
    if (charge.calls.length > 1 || this.#certainty.isShaky(charge, charge.answeredMs)) return false;
    const { isPrompt, store } = this.#knowledge.facts;
    if (!store.isSharded || !charge.policy.isMixed) return true;
    return isPrompt && charge.answeredMs + A_MOMENT_MS < fromMs && !this.#certainty.isShaky(charge, fromMs);
  }

  #mostOf(key: KeyHistory, limit: LimitFacts, charge: Charge, seen: Seen): number {
    const { step } = charge.began;
    const isShaky = this.#certainty.isShaky(charge, Math.min(charge.answeredMs, seen.toMs));
    // Whoever waits asks several times, and of each answer that was lost the charge may stay.
    const isSure = !isShaky && this.#knowledge.facts.isPrompt;
    if (!isSure && (step.call === 'wait' || step.call === 'run')) return Number.POSITIVE_INFINITY;
    // A process that decides by itself counts no more than its share. The store may have charged all.
    const asked = charge.source === 'store' ? unitsOn(charge, limit) : costOn(limit, charge.cost);
    const units = asked + mostChargedMore(charge, limit);
    const copies = this.#copiesOf(charge, isShaky);
    return units * copies - (copies === 1 ? this.#surelyGivenBack(key, limit, charge, seen) : 0);
  }

  /** What a call may have charged before it was sent for the last time, and answered. */
  #ownCopies(limit: LimitFacts, { began: { call }, toMs }: Seen): number {
    const charge = this.#knowledge.calls.record(call)?.charge;
    if (charge?.calls[0] !== call || !this.#certainty.isShaky(charge, toMs)) return 0;
    return costOn(limit, charge.cost) * (this.#certainty.mostSent(charge, toMs) - 1);
  }

  #copiesOf(charge: Charge, isShaky: boolean): number {
    const sent = isShaky ? this.#certainty.mostSent(charge, charge.answeredMs) : 1;
    if (charge.calls.length === 1) return sent;
    const { rememberMs = REMEMBERED_MS } = 'rememberMs' in charge.began.step ? charge.began.step : {};
    const { drift, store } = this.#knowledge.facts;
    const isRemembered = charge.lastBeganMs + 2 * store.timeoutMs + 1 < charge.began.atMs + rememberMs / (1 + drift);
    return isRemembered && !isShaky ? 1 : Math.max(2, sent) * charge.calls.length;
  }

  #surelyGivenBack(key: KeyHistory, limit: LimitFacts, charge: Charge, { fromMs, toMs }: Seen): number {
    if (charge.state !== 'admitted' || charge.source !== 'store' || key.wasOvercharged) return 0;
    if (!this.#knowledge.facts.isPrompt) return 0;
    const units = unitsOn(charge, limit);
    let least = Number.POSITIVE_INFINITY;
    let isSure = false;
    for (const correction of charge.corrections) {
      const { kind, beganMs, answeredMs } = correction;
      if (kind === 'release' || kind === 'share' || beganMs > toMs) continue;
      least = Math.min(least, givenBackBy(correction, limit.isSettled, units));
      isSure ||=
        kind !== 'correct' &&
        !correction.mayBeLate &&
        isCorrectedBy(charge, correction) &&
        answeredMs <= fromMs &&
        !this.#mayBeTooLate(limit, charge, answeredMs) &&
        !this.#certainty.isShaky(charge, answeredMs);
    }
    return isSure ? least : 0;
  }

  /** A bucket that never refills takes units back until "`keepFor` after the charge" (packages/core/docs/returns.md). */
  #mayBeTooLate({ algorithm, rate, windowMs }: LimitFacts, { beganMs }: Charge, correctedMs: number): boolean {
    if (algorithm !== 'token-bucket' || rate > 0) return false;
    return correctedMs + 1 >= beganMs + windowMs / (1 + this.#knowledge.facts.drift);
  }

  #found(key: KeyHistory, limit: LimitFacts, seen: Seen, why: string, invariant = 'ledger'): Violation {
    const { began, verdict, toMs } = seen;
    return {
      invariant,
      atMs: toMs,
      calls: [began.call],
      says:
        `${began.step.call} of ${began.subject} saw ${verdict.used} used and ${verdict.remaining} left of "${limit.name}" of ` +
        `"${key.policy.name}" (${limit.quota} in all), but ${why}.`,
    };
  }
}

/** Which charges are in the window of an answer. */
interface Period {
  /** All that began since then are. */
  readonly allSinceMs: number;
  /** None that was answered before is. */
  readonly noneBeforeMs: number;
}

function isCounted({ algorithm, isEnforced, countsRefusals }: LimitFacts): boolean {
  if (!isEnforced || countsRefusals) return false;
  return (
    algorithm === 'token-bucket' ||
    algorithm === 'sliding-window' ||
    algorithm === 'sliding-window-log' ||
    algorithm === 'fixed-window'
  );
}

function isCorrection({ began }: Seen): boolean {
  return began.step.call === 'charge' || began.step.call === 'refund';
}
