import type { CallEnded, Observation } from '../../fleet/observation.js';
import type { CallStep } from '../../tape/tape.js';
import { timeoutOfPlan } from '../budgets/plan-facts.js';
import type { CallRecord } from '../calls.js';
import type { Knowledge } from '../knowledge.js';
import { PAUSE_MS, TIMEOUTS_OF_A_LOST_CALL } from '../stated-times.js';
import type { Invariant, Violation } from '../violation.js';

/** How exact deadlines are: "The alarm of the deadlines rings four times within a deadline" (packages/core/docs/why/remote-stores.md). */
const PART_OF_A_TIMEOUT = 0.25;
const ALLOWANCE_MS = 10;

/** Corrections have no deadline that the documentation states. A call that is lost is given up. */
const CORRECTED_MS = 1000;

/** After a stall, a process first does what was due meanwhile. */
const AFTER_A_STALL_MS = 50;

/**
 * "It never becomes the outage. Every check has a deadline" (README.md, What it promises). "`onStoreError` decides within the deadline"
 * (packages/redis/docs/when-redis-fails.md). "Sluice asks them one after the other, within one deadline" (packages/core/docs/sharding.md). `wait`
 * "resolves with a refusal if there is no room within `maxWait`" (packages/core/docs/answers.md). "No promise is left open"
 * (packages/core/docs/waiting.md).
 */
export class Deadline implements Invariant {
  readonly #knowledge: Knowledge;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind === 'rest') return this.#atRest(observation.atMs);
    if (observation.kind !== 'answer') return undefined;
    const record = this.#knowledge.calls.record(observation.call);
    return record && this.#answered(record, observation);
  }

  #answered({ began, workMs, charge }: CallRecord, { atMs }: CallEnded): Violation | undefined {
    const { conditions } = this.#knowledge;
    if (conditions.isResting(atMs)) return undefined;
    const workedMs = workMs === undefined || !charge ? 0 : Math.max(0, charge.workOverMs - workMs);
    const most = this.#mostMs(began.step);
    const tookMs = atMs - began.atMs - workedMs;
    if (tookMs <= most) return undefined;
    const stalledMs = conditions.stalledMs(began.process, began.atMs, atMs);
    if (tookMs <= most + stalledMs + (stalledMs > 0 ? AFTER_A_STALL_MS : 0)) return undefined;
    const besides = stalledMs > 0 ? `, while the process stood still for ${Math.round(stalledMs)} ms` : '';
    return {
      invariant: 'deadline',
      atMs,
      calls: [began.call],
      says: `${began.step.call} took ${tookMs.toFixed(1)} ms${besides}, and ${Math.round(most)} ms are promised.`,
    };
  }

  #mostMs(step: CallStep): number {
    const { setup, store } = this.#knowledge.facts;
    const plan = 'plan' in step ? setup.plans?.[step.plan] : undefined;
    const timeoutMs = plan ? timeoutOfPlan(plan, store.timeoutMs) : store.timeoutMs;
    const checkedMs = timeoutMs * (1 + PART_OF_A_TIMEOUT) + ALLOWANCE_MS;
    const correctedMs = TIMEOUTS_OF_A_LOST_CALL * timeoutMs + CORRECTED_MS;
    switch (step.call) {
      case 'consume':
      case 'peek':
      case 'reserve':
      case 'obey':
      case 'model-call':
      case 'model-look':
        return checkedMs;
      case 'wait':
        return step.maxWaitMs + 2 * checkedMs + PAUSE_MS;
      case 'run':
        return step.maxWaitMs + 2 * checkedMs + PAUSE_MS + correctedMs;
      case 'close':
        return Number.POSITIVE_INFINITY;
      default:
        return correctedMs;
    }
  }

  #atRest(atMs: number): Violation | undefined {
    for (const { began, life, ended, workMs } of this.#knowledge.calls.all()) {
      if (ended || life.closingMs <= atMs || life.endedMs <= atMs) continue;
      // Work that began at last goes on.
      if (began.step.call === 'run' && workMs !== undefined && workMs + began.step.worksForMs >= atMs) continue;
      return {
        invariant: 'deadline',
        atMs,
        calls: [began.call],
        says: `${began.step.call} never got an answer, although its process lives.`,
      };
    }
    return undefined;
  }
}
