import type { Observation } from '../../fleet/observation.js';
import type { Knowledge } from '../knowledge.js';
import type { Invariant, Violation } from '../violation.js';

/**
 * "With `enforce: 0` a limit decides, spends and reports, but never refuses" (packages/core/docs/rolling-out-a-limit.md). So whatever is refused was
 * refused by a limit that is enforced: "allowed: every enforced limit allows it" (packages/core/docs/answers.md, Decisions).
 */
export class Shadow implements Invariant {
  readonly #knowledge: Knowledge;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind !== 'answer' || !('decision' in observation.outcome)) return undefined;
    const { allowed, source, verdicts } = observation.outcome.decision;
    const record = this.#knowledge.calls.record(observation.call);
    if (!record?.policy || (source !== 'store' && source !== 'local')) return undefined;
    const { call, step } = record.began;
    const seen = (says: string): Violation => ({ invariant: 'shadow', atMs: observation.atMs, calls: [call], says });
    const refusing = verdicts.filter((verdict) => !verdict.allowed && !verdict.shadow);
    // A caller that waits is refused because of the time that it would have to wait.
    if (!allowed && refusing.length === 0 && step.call !== 'wait' && step.call !== 'run') {
      return seen(`${step.call} was refused, and no limit that is enforced refuses it.`);
    }
    if (allowed && refusing.length > 0 && step.call !== 'charge' && step.call !== 'refund') {
      return seen(`${step.call} was allowed, although "${refusing[0]?.name}" is enforced and refuses it.`);
    }
    for (const { name } of refusing) {
      const limits = record.policy.variants.flat().filter((limit) => limit.name === name);
      if (limits.length > 0 && limits.every(({ isEnforced }) => !isEnforced)) {
        return seen(`${step.call} was refused by "${name}", which is not enforced.`);
      }
    }
    return undefined;
  }
}
