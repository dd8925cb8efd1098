import type { CallBegan, CallEnded, Observation, VerdictSeen } from '../../fleet/observation.js';
import type { CallRecord } from '../calls.js';
import type { Charge, KeyHistory } from '../charges.js';
import type { Knowledge } from '../knowledge.js';
import type { LimitFacts, PolicyFacts } from '../setup-facts.js';
import type { Invariant, Violation } from '../violation.js';

/** A key that is certainly blocked. */
interface Block {
  readonly call: number;
  readonly process: number;
  /** Since when a server may have it, and lose it. */
  readonly beganMs: number;
  /** Since when every decision sees it, in its process and in the others. */
  readonly fromMs: number;
  readonly elsewhereFromMs: number;
  readonly untilMs: number;
  readonly life: number;
}

/** How exactly ends are known: times of servers are whole milliseconds. */
const EXACT_MS = 2;

/**
 * "`block` refuses the key in every limit of the policy, under every algorithm. A block that ends later stays as it is. Nothing shortens a
 * block by hand. Every decision that asks the store sees it at once, in every process; a leased or synced store sees it in the others when
 * their lease ends or with their next synchronization." "`blockDuration`: when this limit refuses a request, the key is refused for that
 * long, whatever the window says. A request with cost 0 begins no block" (packages/core/docs/blocking-abusers.md, algorithms.md).
 */
export class Blocked implements Invariant {
  readonly #knowledge: Knowledge;
  /** Of each policy and subject: blocks by hand. */
  readonly #byHand = new Map<string, Block[]>();
  /** Of each key: the block that its limit began. */
  readonly #byLimit = new Map<KeyHistory, Block>();
  /** Of each policy: how many calls that lift blocks have no answer, and when the last one had. */
  readonly #lifts = new Map<string, { open: number; answeredMs: number }>();
  /** Of each key: until when it may be blocked by its limit. */
  readonly #maybe = new Map<KeyHistory, number>();

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind === 'call') this.#lift(observation);
    if (observation.kind !== 'answer') return undefined;
    const { calls, conditions } = this.#knowledge;
    const record = calls.record(observation.call);
    if (!record?.policy || conditions.isResting(observation.atMs)) return undefined;
    this.#lifted(record, observation);
    if (record.began.step.call === 'block') {
      if (!('error' in observation.outcome)) this.#block(record, record.began.step.forMs, observation);
      return undefined;
    }
    const found = this.#admitted(record, record.policy, observation);
    this.#refused(record, observation);
    return found;
  }

  /** Whether a call about the policy may lift what another call began to block. */
  #mayBeLifted({ policy, atMs }: CallBegan): boolean {
    const lifts = this.#lifts.get(policy);
    return lifts !== undefined && (lifts.open > 0 || lifts.answeredMs >= atMs);
  }

  /** A call that failed may reach the server later. */
  #lifted({ began }: CallRecord, { atMs, outcome }: CallEnded): void {
    const { step, policy } = began;
    if (step.call !== 'unblock' && step.call !== 'reset') return;
    const lifts = this.#lifts.get(policy);
    if (!lifts) return;
    const doneMs = 'error' in outcome ? atMs + this.#knowledge.conditions.backAfterMs : atMs;
    this.#lifts.set(policy, { open: lifts.open - 1, answeredMs: Math.max(lifts.answeredMs, doneMs) });
  }

  /** Whatever may lift a block does so as soon as it begins. */
  #lift({ step, policy, subject }: CallBegan): void {
    if (step.call !== 'unblock' && step.call !== 'reset') return;
    const lifts = this.#lifts.get(policy) ?? { open: 0, answeredMs: Number.NEGATIVE_INFINITY };
    this.#lifts.set(policy, { ...lifts, open: lifts.open + 1 });
    this.#byHand.delete(`${policy} ${subject}`);
    for (const key of this.#byLimit.keys()) if (key.policy.name === policy) this.#byLimit.delete(key);
  }

  #block({ began, life }: CallRecord, forMs: number, { atMs }: CallEnded): void {
    const { facts } = this.#knowledge;
    if (this.#mayBeLifted(began)) return;
    const { leaseMs, syncMs, timeoutMs } = facts.store;
    const seenMs = leaseMs + syncMs === 0 ? 0 : Math.max(leaseMs, 2 * syncMs) + 2 * timeoutMs;
    const block: Block = {
      call: began.call,
      process: began.process,
      beganMs: began.atMs,
      fromMs: atMs,
      elsewhereFromMs: atMs + seenMs,
      untilMs: began.atMs + forMs / (1 + facts.drift) - EXACT_MS,
      life: life.number,
    };
    const id = `${began.policy} ${began.subject}`;
    const blocks = this.#byHand.get(id) ?? [];
    this.#byHand.set(id, [...blocks.filter(({ untilMs }) => untilMs > atMs), block]);
  }

  #admitted(record: CallRecord, policy: PolicyFacts, ended: CallEnded): Violation | undefined {
    const { charge, began } = record;
    if (!charge || charge.isUnchecked || record.correction || charge.calls.length > 1 || charge.mayRepeat)
      return undefined;
    if (charge.state !== 'admitted' || charge.source !== 'store' || charge.answeredMs !== ended.atMs) return undefined;
    const blocks = this.#byHand.get(`${began.policy} ${began.subject}`);
    if (blocks && this.#refusesBlocked(policy, charge)) {
      const block = blocks.find((one) => this.#isIn(one, charge, ended.atMs));
      if (block) return this.#seen(block, charge, `block() of call ${block.call}`);
    }
    const keys = this.#byLimit.size === 0 ? [] : charge.keys;
    for (let i = 0; i < keys.length; i += 1) {
      const block = this.#byLimit.get(keys[i] as KeyHistory);
      const limit = charge.limits[i] as LimitFacts;
      if (block && limit.isEnforced && this.#isIn(block, charge, ended.atMs)) {
        return this.#seen(block, charge, `"${limit.name}", which refused call ${block.call}`);
      }
    }
    return undefined;
  }

  /** "A block refuses where the policy does", and it belongs to the key: that of the subject. */
  #refusesBlocked({ variants }: PolicyFacts, { limits }: Charge): boolean {
    return [limits, ...variants].every((all) =>
      all.some(({ setup, isEnforced }) => isEnforced && (setup.by === 'subject' || setup.guarantee !== undefined)),
    );
  }

  #isIn(block: Block, { beganMs, began, lives }: Charge, atMs: number): boolean {
    const { conditions, facts } = this.#knowledge;
    const isHere = (lives[0]?.number ?? 0) === block.life;
    if (facts.store.isMemory && !isHere) return false;
    if (
      beganMs < (isHere ? block.fromMs : block.elsewhereFromMs) ||
      began.atMs < block.fromMs ||
      began.call < block.call ||
      atMs >= block.untilMs
    ) {
      return false;
    }
    if (!facts.store.isMemory && conditions.losses(block.beganMs, atMs) > 0) return false;
    if (conditions.isClockSet(block.beganMs, atMs)) return false;
    const isInFront = facts.store.leaseMs + facts.store.syncMs > 0;
    if (!isInFront) return true;
    return facts.keepsMessages && !conditions.isAnyTroubled(block.fromMs, atMs);
  }

  #seen({ untilMs }: Block, { began, policy, answeredMs }: Charge, by: string): Violation {
    return {
      invariant: 'blocked',
      atMs: answeredMs,
      calls: [began.call],
      says: `${began.step.call} of ${began.subject} was admitted by "${policy.name}", blocked until ${untilMs.toFixed(1)} by ${by}.`,
    };
  }

  /** A refusal begins a block, unless the key may be blocked already: "further refusals do not lengthen the block". */
  #refused(record: CallRecord, ended: CallEnded): void {
    const { charge, began } = record;
    if (!charge || record.correction || !charge.policy.hasBlocks) return;
    const { calls, conditions, facts } = this.#knowledge;
    const keys = charge.keys;
    for (let i = 0; i < keys.length; i += 1) {
      const limit = charge.limits[i] as LimitFacts;
      const key = keys[i] as KeyHistory;
      if (limit.blockMs === 0) continue;
      const verdict = charge.decision?.verdicts.find(({ name }) => name === limit.name);
      const maybeUntilMs = this.#maybe.get(key) ?? Number.NEGATIVE_INFINITY;
      const isSureOne =
        isRefusal(verdict) &&
        charge.source === 'store' &&
        limit.isEnforced &&
        ['consume', 'reserve'].includes(began.step.call);
      const isFirst = began.atMs > maybeUntilMs && !this.#mayBeRefusing(key, charge) && !this.#mayBeLifted(began);
      const isRepeated = charge.calls.length > 1 || charge.mayRepeat !== undefined;
      if (
        isSureOne &&
        isFirst &&
        !isRepeated &&
        calls.variants.isUnchanged(charge.policy) &&
        !conditions.hasSetClocks
      ) {
        const untilMs = began.atMs + limit.blockMs / (1 + facts.drift) - EXACT_MS;
        this.#byLimit.set(key, {
          call: began.call,
          process: began.process,
          beganMs: began.atMs,
          fromMs: ended.atMs,
          elsewhereFromMs: ended.atMs,
          untilMs,
          life: record.life.number,
        });
      }
      if (charge.source === 'store' && charge.state === 'admitted') continue;
      this.#maybe.set(key, Math.max(maybeUntilMs, ended.atMs + limit.blockMs * (1 + facts.drift) + EXACT_MS));
    }
  }

  /** Whether another call may be refused in these moments, or may have been without that anybody heard of it. */
  #mayBeRefusing(key: KeyHistory, charge: Charge): boolean {
    return (
      key.charges.some((one) => one !== charge && (one.state === 'open' || one.state === 'unknown')) ||
      !this.#isObserved()
    );
  }

  #isObserved(): boolean {
    const { facts, conditions } = this.#knowledge;
    return facts.store.isMemory || (facts.keepsMessages && !conditions.hasFaults);
  }
}

/** Whether a verdict is a refusal that begins a block where there is none. */
function isRefusal(verdict: VerdictSeen | undefined): boolean {
  return (
    verdict !== undefined &&
    verdict.cost > 0 &&
    !verdict.allowed &&
    !verdict.blocked &&
    !verdict.shadow &&
    verdict.retryAfterMs !== 'never'
  );
}
