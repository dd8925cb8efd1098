import type { CallEnded, Observation } from '../../fleet/observation.js';
import type { CallRecord } from '../calls.js';
import { type Charge, type Correction, isCorrectedBy, type KeyHistory, mayBeOver } from '../charges.js';
import type { Knowledge } from '../knowledge.js';
import { isSurelyLeased } from '../leases.js';
import type { LimitFacts } from '../setup-facts.js';
import type { Invariant, Violation } from '../violation.js';
import { mostByItself, mostByStore } from '../worst-case.js';

/** What is freed by a timer, or given back after a refusal, is free that much later. */
const SOON_MS = 1000;

/**
 * "This algorithm limits how many requests run at once. Worst case: `limit` at once." "A slot has a lease. While the process lives, it
 * renews the lease every third of its length. When a process dies, its slots are free as soon as their leases end"
 * (packages/core/docs/algorithms.md, Concurrency).
 *
 * `slots`: no more are held than that. `slots-freed`: nobody is refused while nobody holds them.
 */
export class Slots implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #held = new Map<KeyHistory, Set<Charge>>();

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind !== 'answer' && observation.kind !== 'work') return undefined;
    const { calls, conditions, facts } = this.#knowledge;
    if (!facts.hasSlots || conditions.isResting(observation.atMs)) return undefined;
    const record = calls.record(observation.call);
    const charge = record?.charge;
    if (!record || !charge?.policy.hasSlots || charge.isUnchecked || record.correction) return undefined;
    if (charge.answeredMs !== observation.atMs) return undefined;
    const keys = charge.keys;
    for (let i = 0; i < keys.length; i += 1) {
      const limit = charge.limits[i] as LimitFacts;
      if (limit.algorithm !== 'concurrency' || !limit.isEnforced) continue;
      const key = keys[i] as KeyHistory;
      const found =
        charge.state === 'admitted'
          ? this.#admitted(key, limit, charge)
          : observation.kind === 'answer' && this.#refused(key, limit, record, observation);
      if (found) return found;
    }
    return undefined;
  }

  #admitted(key: KeyHistory, limit: LimitFacts, charge: Charge): Violation | undefined {
    if ((charge.source !== 'store' && charge.source !== 'local') || charge.mayRepeat) return undefined;
    // "While the store fails, the process that answers remembers by itself" (packages/core/docs/answers.md): it may be any of several.
    if (charge.source === 'local' && charge.lives.some((life) => life !== charge.lives[0])) return undefined;
    const held = this.#held.get(key) ?? new Set();
    this.#held.set(key, held);
    held.add(charge);
    const atMs = charge.answeredMs;
    const certain: Charge[] = [];
    for (const one of held) {
      if (!this.#isHeld(one, key, atMs)) held.delete(one);
      else if (one.source === charge.source && (one.source === 'store' || one.lives[0] === charge.lives[0]))
        certain.push(one);
    }
    if (certain.length <= limit.quota && charge.source === 'store') return undefined;
    const { calls, facts } = this.#knowledge;
    const variants = calls.variants
      .usedSince(key.policy, limit.name, Math.min(...certain.map(({ beganMs }) => beganMs)))
      .filter(({ algorithm }) => algorithm === 'concurrency');
    const most =
      charge.source === 'store'
        ? mostByStore(facts, variants, 1, { losses: 0, cost: 1, instances: 0 })
        : mostByItself(facts, variants, 1, 1);
    if (certain.length <= most) return undefined;
    return {
      invariant: 'slots',
      atMs,
      calls: certain.map(({ calls: [call] }) => call as number),
      says:
        `${certain.length} slots of "${limit.name}" of "${key.policy.name}" are held at once for ${charge.began.subject}, ` +
        `and at most ${most} can be.`,
    };
  }

  /** Whether a slot is certainly held. What is not, is never certain again. */
  #isHeld(charge: Charge, key: KeyHistory, atMs: number): boolean {
    const { conditions } = this.#knowledge;
    const { beganMs, corrections, expiries, workOverMs } = charge;
    if (corrections.some((correction) => correction.beganMs <= atMs) || workOverMs <= atMs) return false;
    if (conditions.isClockSet(beganMs, atMs) || key.resets.some((reset) => reset.answeredMs >= beganMs)) return false;
    if (charge.source === 'store' && conditions.losses(beganMs, atMs) > 0) return false;
    if (expiries.some((one) => mayBeOver(one, atMs, conditions.aheadMs(atMs)))) return false;
    return isSurelyLeased(charge, key, atMs, this.#knowledge);
  }

  #refused(key: KeyHistory, limit: LimitFacts, record: CallRecord, ended: CallEnded): Violation | undefined {
    const { calls, conditions, facts } = this.#knowledge;
    const { step, atMs: beganMs, call } = record.began;
    if (step.call !== 'reserve' || limit.setup.guarantee || !facts.canRenew || !calls.variants.isUnchanged(key.policy))
      return undefined;
    if (!('decision' in ended.outcome) || ended.outcome.decision.source !== 'store') return undefined;
    const { charge } = record;
    if (!charge || charge.mayRepeat || charge.calls.length > 1) return undefined;
    const verdict = ended.outcome.decision.verdicts.find(({ name }) => name === limit.name);
    if (!verdict || verdict.allowed || verdict.blocked || verdict.shadow) return undefined;
    const leaseMs = limit.windowMs * (1 + facts.drift);
    if (conditions.sinceFaultsMs(beganMs) <= 2 * leaseMs + conditions.backAfterMs + SOON_MS) return undefined;
    let most = 0;
    for (const one of key.charges) if (one !== charge && this.#mayBeHeld(one, beganMs, leaseMs)) most += 1;
    if (most + 1 > limit.quota + limit.margin) return undefined;
    return {
      invariant: 'slots-freed',
      atMs: ended.atMs,
      calls: [call],
      says:
        `A reservation was refused by "${limit.name}" of "${key.policy.name}", ` +
        `although at most ${most} of its ${limit.quota} slots can be held.`,
    };
  }

  #mayBeHeld(charge: Charge, atMs: number, leaseMs: number): boolean {
    const { calls, conditions, facts } = this.#knowledge;
    const { state, source, answeredMs, lives, corrections, workOverMs } = charge;
    if (lives.every(({ endedMs }) => endedMs + leaseMs + SOON_MS < atMs)) return false;
    if (state === 'refused') {
      // A repeated call is decided anew if the store has lost the first decision.
      if (charge.calls.length > 1 && conditions.losses(charge.beganMs, atMs) > 0) return true;
      return facts.store.isSharded && answeredMs + SOON_MS >= atMs;
    }
    if (state !== 'admitted') return true;
    // A call that repeats what a process decided by itself may have a slot of the store.
    if (source !== 'store') return charge.calls.length > 1 || answeredMs + leaseMs + SOON_MS >= atMs;
    if (workOverMs + SOON_MS < atMs) return false;
    // "The same holds for reservations that are open when the store is closed": nobody ends them then (packages/core/docs/answers.md).
    const expiredMs = answeredMs + longestExpiryMs(charge) * (1 + facts.drift) + SOON_MS;
    if (expiredMs < atMs && lives.some(({ closingMs, endedMs }) => Math.min(closingMs, endedMs) > expiredMs))
      return false;
    if (this.#mayHoldAnother(charge, atMs)) return true;
    // While one of two ends is under way, the other one has nothing left to do.
    if (corrections.some(({ beganMs, answeredMs: doneMs }) => beganMs <= atMs && doneMs > atMs)) return true;
    return !corrections.some((correction) => {
      const { kind, call, beganMs, answeredMs: doneMs } = correction;
      // A call that is under way meanwhile comes before it or after it: then "it is decided anew".
      if (!isCorrectedBy(charge, correction) || this.#meetsCall(charge, correction)) return false;
      // "The same holds for reservations that are open when the store is closed." Where `release` failed, nothing is left to settle.
      if ((calls.record(call)?.life.closingMs ?? 0) <= beganMs) return false;
      return kind === 'share' ? this.#isRenewedByNobody(charge, atMs - leaseMs - SOON_MS) : doneMs <= atMs;
    });
  }

  /**
   * Whether a call that was decided anew, since a slot was freed while it was under way, may hold a slot of its own: only its own end
   * frees that.
   */
  #mayHoldAnother({ calls, corrections }: Charge, atMs: number): boolean {
    return calls.some(
      (call) =>
        corrections.some((one) => one.kind !== 'share' && one.corrects !== call && this.#isUnderWay(call, one)) &&
        !corrections.some((one) => one.corrects === call && one.answeredMs <= atMs),
    );
  }

  /** Whether another call of the operation is under way while its charge is corrected. */
  #meetsCall({ calls }: Charge, correction: Correction): boolean {
    return calls.some((call) => this.#isUnderWay(call, correction));
  }

  #isUnderWay(call: number, { beganMs, answeredMs }: Correction): boolean {
    const { began, ended } = this.#knowledge.calls.record(call) as CallRecord;
    return began.atMs <= answeredMs && (ended?.atMs ?? Number.POSITIVE_INFINITY) > beganMs;
  }

  /** "From then on, this process does not renew the slots of the reservation": whoever has another one by a repeated call may. */
  #isRenewedByNobody(charge: Charge, sinceMs: number): boolean {
    const shares = charge.corrections.filter(({ kind, answeredMs }) => kind === 'share' && answeredMs < sinceMs);
    return charge.calls.every((call) => {
      const made = this.#knowledge.calls.record(call);
      return shares.some(
        (share) =>
          this.#knowledge.calls.record(share.call)?.life === made?.life &&
          (made?.ended?.atMs ?? Number.POSITIVE_INFINITY) <= share.beganMs,
      );
    });
  }
}

/** "`expires` of the first call counts" (packages/core/docs/answers.md): of a call that may repeat another one, either may be the first. */
function longestExpiryMs({ expiries, mayRepeat }: Charge): number {
  const longestMs = Math.max(...expiries.map(({ expiresMs }) => expiresMs));
  return mayRepeat ? Math.max(longestMs, longestExpiryMs(mayRepeat)) : longestMs;
}
