import type { CallEnded, Observation } from '../../fleet/observation.js';
import { type PlanFacts, planFacts, timeoutOfPlan } from '../budgets/plan-facts.js';
import type { CallRecord } from '../calls.js';
import type { Knowledge } from '../knowledge.js';
import { TRIPS_TO_REDIS } from '../stated-times.js';
import type { Invariant, Violation } from '../violation.js';

/** A violation that is seen so soon after a fault is told as one of recovery. */
const LATELY_MS = 10_000;

/**
 * "One read, and one write", after those that are under way (packages/postgres/README.md). "If an entry that was read has ended meanwhile,
 * and is gone, the store reads and decides again" (packages/core/docs/writing-a-store.md, A backend).
 */
const TRIPS_TO_A_TABLE = 4;

/** "An estimate that is a minute old is not used": until then, the time of the server is known less and less well. */
const ESTIMATED_FOR_MS = 60_000;

/** "Checks: at most 64" in one call, half as many where a limit blocks; a policy has some limits. */
const DECISIONS_OF_A_CALL = 10;

/**
 * "If the store fails or hangs, the policy's `onStoreError` decides. Sluice recovers by itself" (README.md, What it promises). So while
 * nothing fails, the store decides. `recovery`: "a probe tries to write every quarter of a second, and the first decision by Redis comes
 * at most a second after it is back" (packages/redis/docs/when-redis-fails.md and packages/postgres/docs/when-postgresql-fails.md).
 */
export class Source implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #isSteady: boolean;
  readonly #plans: ReadonlyMap<string, PlanFacts>;
  /** Of each process: when its store last failed, as it could. */
  readonly #failedMs: number[] = [];

  constructor(knowledge: Knowledge) {
    const { drift, store, keepsMessages } = knowledge.facts;
    this.#knowledge = knowledge;
    this.#plans = planFacts(knowledge.facts.setup);
    this.#isSteady = store.isMemory || (keepsMessages && drift * ESTIMATED_FOR_MS <= store.timeoutMs / 8);
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind !== 'answer' || !('decision' in observation.outcome)) return undefined;
    const { source } = observation.outcome.decision;
    if (source === 'store') return undefined;
    const { calls, conditions, facts } = this.#knowledge;
    const record = calls.record(observation.call);
    if (!record || conditions.isResting(observation.atMs)) return undefined;
    const { process, atMs: beganMs } = record.began;
    if (record.life.closingMs <= observation.atMs) return undefined;
    if (!facts.store.isMemory && !this.#isCalm(record, observation)) {
      this.#failedMs[process] = observation.atMs;
      return undefined;
    }
    // "No calls are made until a probe succeeds" (packages/core/docs/answers.md), whatever made the breaker open.
    const failedMs = this.#failedMs[process] ?? Number.NEGATIVE_INFINITY;
    if (beganMs <= failedMs + conditions.backAfterMs) return undefined;
    const sinceMs = conditions.sinceFaultsMs(beganMs);
    const isSoon = conditions.hasFaults && sinceMs >= 0 && sinceMs < LATELY_MS;
    const isLately = isSoon && !facts.store.isMemory && conditions.isTroubled(process, beganMs - LATELY_MS, beganMs);
    return {
      invariant: isLately ? 'recovery' : 'source',
      atMs: observation.atMs,
      calls: [record.began.call],
      says: isLately
        ? `The last fault ended ${Math.round(sinceMs)} ms before, and process ${record.began.process} still decided by '${source}'.`
        : `Nothing fails, but process ${record.began.process} decided by '${source}' and not by its store.`,
    };
  }

  #isCalm(record: CallRecord, { atMs, wasStalled }: CallEnded): boolean {
    const { conditions } = this.#knowledge;
    const { process, atMs: beganMs } = record.began;
    if (!this.#isSteady || wasStalled || conditions.isTroubled(process, beganMs, atMs)) return false;
    return this.#knowsTime(record) && this.#tripsMs(record) < this.#timeoutMs(record);
  }

  /** How long a decision may take. A gateway waits no longer for a store that other policies wait for. */
  #timeoutMs({ began }: CallRecord): number {
    const { timeoutMs } = this.#knowledge.facts.store;
    const plan = this.#plans.get(began.policy);
    return plan ? Math.min(timeoutMs, timeoutOfPlan(plan.setup, timeoutMs)) : timeoutMs;
  }

  /** "The store learns that a server's clock was moved from the first reply, even if the reply says 'too late'." */
  #knowsTime(record: CallRecord): boolean {
    const { calls, conditions, facts } = this.#knowledge;
    const { lastSetMs } = conditions;
    if (record.began.atMs > lastSetMs + ESTIMATED_FOR_MS + conditions.backAfterMs) return true;
    return !facts.store.isSharded && calls.hasAskedSince(lastSetMs + facts.mostDelayMs, record);
  }

  /** How long the messages of a decision take at most. */
  #tripsMs(record: CallRecord): number {
    const { began, besides } = record;
    const { facts, calls } = this.#knowledge;
    const { mostDelayMs, store, hasSlots } = facts;
    const isInFront = store.leaseMs > 0 || store.syncMs > 0;
    // "A slice that comes when its lease is over serves only the request that asked for it" (packages/core/docs/leasing.md).
    if (store.leaseMs > 0 && store.leaseMs <= 2 * mostDelayMs * store.nodesAsked) return Number.POSITIVE_INFINITY;
    let trips = TRIPS_TO_REDIS + Math.ceil(besides / DECISIONS_OF_A_CALL);
    if (store.hasTable) {
      // Whoever is overtaken decides again. Nobody can say how often.
      const isAlone = facts.setup.processes.length === 1;
      if (!isAlone && (isInFront || hasSlots || calls.isContended(began.process, began.atMs)))
        return Number.POSITIVE_INFINITY;
      trips = (mayReadWhatEnds(record) ? 2 : 1) * TRIPS_TO_A_TABLE + 2 * besides;
    }
    return trips * 2 * mostDelayMs * store.nodesAsked * (isInFront ? 2 : 1) + 1;
  }
}

/** Whether a call may read an entry: the state of a key that was used before, or what is remembered of an id. */
function mayReadWhatEnds({ began: { atMs, step }, charge }: CallRecord): boolean {
  if ('id' in step && step.id !== undefined) return true;
  return charge?.keys.some(({ bornMs }) => bornMs < atMs) === true;
}
