import type { CallEnded, Observation } from '../../fleet/observation.js';
import type { CallRecord } from '../calls.js';
import { type Charge, type KeyHistory, mostChargedMore, unitsOn } from '../charges.js';
import type { Knowledge } from '../knowledge.js';
import type { LimitFacts } from '../setup-facts.js';
import type { Invariant, Violation } from '../violation.js';

/**
 * "A tenant within its part is never refused because of others" (packages/core/docs/guarantees.md, The rule), if "the parts add up to at
 * most `total`".
 */
export class Guaranteed implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #tenants = new Map<string, Set<string>>();
  readonly #isReset = new Set<string>();
  readonly #applies: boolean;

  constructor(knowledge: Knowledge) {
    const { policies, store } = knowledge.facts;
    this.#knowledge = knowledge;
    const has = policies.some(({ variants }) => variants.flat().some(({ setup }) => setup.guarantee));
    this.#applies = has && store.leaseMs === 0 && store.syncMs === 0;
  }

  observe(observation: Observation): Violation | undefined {
    if (!this.#applies) return undefined;
    if (observation.kind === 'call') {
      const { policy, subject, step } = observation;
      if (subject !== '') this.#tenants.set(policy, (this.#tenants.get(policy) ?? new Set()).add(subject));
      if (step.call === 'reset' || step.call === 'unblock' || step.call === 'refund') this.#isReset.add(policy);
    }
    if (observation.kind !== 'answer') return undefined;
    const record = this.#knowledge.calls.record(observation.call);
    return record?.charge && this.#refused(record, record.charge, observation);
  }

  #refused(record: CallRecord, charge: Charge, ended: CallEnded): Violation | undefined {
    const { calls, conditions } = this.#knowledge;
    if (charge.state !== 'refused' || charge.source !== 'store' || charge.answeredMs !== ended.atMs) return undefined;
    if (record.correction || charge.isUnchecked || charge.calls.length > 1 || charge.mayRepeat) return undefined;
    const { policy, began } = charge;
    if (began.step.call !== 'consume' && began.step.call !== 'reserve') return undefined;
    const isKept = !conditions.hasLosses && !conditions.hasSetClocks && calls.variants.isUnchanged(policy);
    if (!isKept || this.#isReset.has(policy.name) || conditions.isResting(ended.atMs)) return undefined;
    const tenants = this.#tenants.get(policy.name)?.size ?? 0;
    const keys = charge.keys;
    for (let i = 0; i < keys.length; i += 1) {
      const limit = charge.limits[i] as LimitFacts;
      const { guarantee } = limit.setup;
      if (!guarantee || !limit.isEnforced || tenants * guarantee.part > guarantee.total) continue;
      const verdict = charge.decision?.verdicts.find(({ name }) => name === limit.name);
      if (!verdict || verdict.allowed || verdict.blocked) continue;
      const units = unitsOn(charge, limit);
      const copies = this.#copies;
      const used = this.#mostUsed(keys[i] as KeyHistory, limit, charge);
      // The first copy of this very call may have been charged, and then the second one was refused.
      if (used + units * copies > guarantee.part) continue;
      const orLess = copies === 1 ? '' : ' (or less)';
      return {
        invariant: 'guaranteed',
        atMs: ended.atMs,
        calls: [began.call],
        says: `${began.subject} has used ${used}${orLess} of the ${guarantee.part} units that "${limit.name}" guarantees it, and was refused ${units}.`,
      };
    }
    return undefined;
  }

  /** "If its connection breaks, ioredis may send a call twice within the deadline. Then it may be charged twice" (packages/redis/docs/when-redis-fails.md). */
  get #copies(): 1 | 2 {
    const { conditions, facts } = this.#knowledge;
    return facts.keepsMessages && !conditions.hasFaults ? 1 : 2;
  }

  /** Returns the most that a tenant may have used of its part at the time of a refusal. */
  #mostUsed({ charges }: KeyHistory, limit: LimitFacts, own: Charge): number {
    const { facts } = this.#knowledge;
    const copies = this.#copies;
    const backMs =
      limit.rate > 0 || limit.algorithm === 'concurrency' ? Number.POSITIVE_INFINITY : limit.windowMs * 1.06 + 2;
    let sum = 0;
    for (const charge of charges) {
      if (charge === own || charge.began.subject !== own.began.subject) continue;
      if (charge.state === 'refused' && charge.source === 'store' && copies === 1) continue;
      const more = mostChargedMore(charge, limit);
      const lastMs = Math.max(charge.answeredMs, ...charge.corrections.map(({ answeredMs }) => answeredMs));
      const isGone = charge.state !== 'open' && lastMs + backMs * (1 + facts.drift) < own.beganMs;
      if (!isGone) sum += (unitsOn(charge, limit) + more) * copies;
    }
    return sum;
  }
}
