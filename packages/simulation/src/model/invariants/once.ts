import type { DecisionSeen, Observation } from '../../fleet/observation.js';
import type { CallRecord, Operation } from '../calls.js';
import { Certainty } from '../certainty.js';
import { type Charge, mayBeOver } from '../charges.js';
import type { Knowledge } from '../knowledge.js';
import type { Invariant, Violation } from '../violation.js';

/** The end of a charge is a time of the store, as the process that handed it over estimated it. */
const ESTIMATED_MS = 1000;

/**
 * "The store corrects a charge once, whoever asks first, and says which: `'applied'`, `'repeated'`, or `'expired'`." "A repeated call
 * with the same id gets the first reply and charges nothing, also from another instance, and also if the first call was refused"
 * (packages/core/docs/answers.md).
 */
export class Once implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #certainty: Certainty;
  readonly #applied = new Map<Charge, CallRecord>();

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
    this.#certainty = new Certainty(knowledge);
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind !== 'answer') return undefined;
    const record = this.#knowledge.calls.record(observation.call);
    if (!record || this.#knowledge.conditions.isResting(observation.atMs)) return undefined;
    if ('result' in observation.outcome)
      return observation.outcome.result === 'applied' ? this.#apply(record) : undefined;
    if (!('decision' in observation.outcome)) return undefined;
    return record.operation && this.#repeat(record.operation, record, observation.outcome.decision);
  }

  #apply(record: CallRecord): Violation | undefined {
    const { charge, correction, ended } = record;
    // The store and a process that decided while it failed have a charge each.
    if (!charge || !ended || !correction?.isAtCharge) return undefined;
    const first = this.#applied.get(charge);
    this.#applied.set(charge, first ?? record);
    // "Of two corrections at the same time each may make a part, and both say `'applied'`" (packages/core/docs/answers.md).
    const isParted = this.#knowledge.facts.store.isSharded && charge.policy.isMixed;
    const isBoth = isParted && first?.ended !== undefined && record.began.atMs <= first.ended.atMs;
    if (first && !isBoth && this.#isOneCharge(charge, first, record) && this.#isKept(first.began.atMs, ended.atMs)) {
      return {
        invariant: 'once',
        atMs: ended.atMs,
        calls: [first.began.call, record.began.call],
        says: `The charge of call ${charge.calls[0]} was corrected twice: both corrections were told that they were applied.`,
      };
    }
    return this.#applyAfterAnother(record, charge) ?? this.#applyLate(record, charge);
  }

  /** "While the store fails, the process that answers remembers by itself": each process has a charge of its own then. */
  #isOneCharge({ source }: Charge, one: CallRecord, other: CallRecord): boolean {
    const lifeOf = ({ began: { corrects } }: CallRecord) =>
      corrects === undefined ? undefined : this.#knowledge.calls.record(corrects)?.life;
    return source === 'store' || lifeOf(one) === lifeOf(other);
  }

  /** "Whichever reservation is settled or cancelled first corrects it." */
  #applyAfterAnother({ began, ended }: CallRecord, charge: Charge): Violation | undefined {
    const { facts } = this.#knowledge;
    // A slot is freed apart from the units, and each node decides by its own clock.
    if (charge.policy.hasSlots || (facts.store.isSharded && charge.policy.isMixed)) return undefined;
    const first = this.#certainty.madeBefore(charge, began.atMs);
    if (!first || (first.kind !== 'settle' && first.kind !== 'cancel')) return undefined;
    return {
      invariant: 'once',
      atMs: ended?.atMs ?? began.atMs,
      calls: [first.call, began.call],
      says: `The charge of call ${charge.calls[0]} was corrected once more: a ${first.kind} had been answered, and the correction was told that it was applied.`,
    };
  }

  #applyLate({ began, ended }: CallRecord, charge: Charge): Violation | undefined {
    const { conditions, facts } = this.#knowledge;
    // Each node has a clock of its own, and the time is that of the latest.
    if (began.step.call !== 'correct' || conditions.hasSetClocks || facts.store.isSharded) return undefined;
    let latestMs = Number.NEGATIVE_INFINITY;
    for (const { call, kind, answeredMs } of charge.corrections) {
      const step = this.#knowledge.calls.record(call)?.began.step;
      if (kind === 'share' && step?.call === 'share') latestMs = Math.max(latestMs, answeredMs + step.expiresMs);
    }
    const { drift } = facts;
    if (latestMs < 0 || began.atMs <= latestMs + ESTIMATED_MS + (latestMs - charge.beganMs) * drift) return undefined;
    return {
      invariant: 'once',
      atMs: ended?.atMs ?? began.atMs,
      calls: [charge.calls[0] as number, began.call],
      says: `A charge that was handed over until ${latestMs.toFixed(1)} was corrected by a call at ${began.atMs.toFixed(1)}.`,
    };
  }

  #repeat(
    { charge, answered, rememberMs }: Operation,
    record: CallRecord,
    decision: DecisionSeen,
  ): Violation | undefined {
    const { facts } = this.#knowledge;
    if (answered.length < 2 || (facts.store.isSharded && charge.policy.isMixed)) return undefined;
    const first = answered.find((one) => one.record !== record && isAlike(one, { record, decision }));
    if (!first || !record.ended) return undefined;
    const firstMs = Math.min(charge.began.atMs, first.record.began.atMs);
    const endMs = record.ended.atMs;
    // "Is freed: if it had a slot, it is decided anew" (packages/core/docs/answers.md). Some of these calls may repeat the one before.
    if (charge.mayRepeat) return undefined;
    if (charge.policy.hasSlots && this.#mayBeFree(charge, endMs)) return undefined;
    if (endMs + endMs * facts.drift >= firstMs + rememberMs || !this.#isKept(firstMs, endMs)) return undefined;
    const difference = differenceOf(first.decision, decision, first.record.began.variant === record.began.variant);
    if (!difference) return undefined;
    return {
      invariant: 'once',
      atMs: endMs,
      calls: [first.record.began.call, record.began.call],
      says: `A repeated call with the same id got another reply: ${difference}.`,
    };
  }

  /**
   * Whether the slots of a charge may be free: whose it was has freed them, somebody forgot all about its subject, or it has ended by
   * itself. Of calls at the same time each may be the first one, whose `expires` counts.
   */
  #mayBeFree({ corrections, expiries, keys, beganMs }: Charge, atMs: number): boolean {
    const aheadMs = this.#knowledge.conditions.aheadMs(atMs);
    return (
      corrections.some((correction) => correction.beganMs <= atMs) ||
      expiries.some((one) => mayBeOver(one, atMs, aheadMs)) ||
      keys.some((key) => key.resets.some((reset) => reset.beganMs <= atMs && reset.answeredMs >= beganMs))
    );
  }

  /** Whether the store that remembers has lost nothing meanwhile, and its time went on evenly. */
  #isKept(fromMs: number, toMs: number): boolean {
    const { conditions } = this.#knowledge;
    return conditions.losses(fromMs, toMs) === 0 && !conditions.isClockSet(fromMs, toMs);
  }
}

type Answered = Operation['answered'][number];

/** "While the store fails, the process that answers remembers by itself." */
function isAlike(one: Answered, other: Answered): boolean {
  if (one.decision.source !== other.decision.source) return false;
  if (one.decision.source === 'store') return true;
  return one.decision.source === 'local' && one.record.life === other.record.life;
}

function differenceOf(one: DecisionSeen, other: DecisionSeen, isSameVariant: boolean): string | undefined {
  if (one.allowed !== other.allowed) return `${nameOf(one)}, and then ${nameOf(other)}`;
  if (!isSameVariant) return undefined;
  for (const verdict of one.verdicts) {
    const again = other.verdicts.find(({ name }) => name === verdict.name);
    if (!again) continue;
    if (again.remaining !== verdict.remaining || again.used !== verdict.used || again.allowed !== verdict.allowed) {
      const text = ({ remaining, used }: typeof verdict) => `${remaining} left and ${used} used of "${verdict.name}"`;
      return `${text(verdict)}, and then ${text(again)}`;
    }
  }
  return undefined;
}

function nameOf({ allowed }: DecisionSeen): string {
  return allowed ? 'it was admitted' : 'it was refused';
}
