import { allowedVerdict, verdictOf } from '../stores/reply.js';
import type { Clock } from '../values/clock.js';
import type { Decision, Verdict } from '../values/decision.js';
import { CHANNELS, publish } from '../values/events.js';
import { recordFailure } from '../values/failure-metrics.js';
import { unlimited } from '../values/limit.js';
import { type PolicyRecorder, policyRecorder } from '../values/policy-recorder.js';
import { decide } from './decision-builder.js';
import { publishDecision } from './decision-event.js';
import { recordDecision } from './decision-metrics.js';
import { DENIED } from './fallback-verdict.js';
import { reportStoreFailure } from './store-failure-report.js';

/**
 * A policy that is decided outside this process, and outside any store: it makes decisions of verdicts that came from there, and
 * decides itself if none came. Its counters, events and warnings are those of every policy.
 */
export class OutsidePolicy {
  /** The name of the policy. */
  readonly name: string;
  /** The clock of its decisions. */
  readonly clock: Clock;
  readonly #recorder: PolicyRecorder;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.clock = clock;
    this.#recorder = policyRecorder(name);
  }

  /** The decision about a request that no limit is asked about. */
  get uncounted(): Decision {
    return decide(this.name, [allowedVerdict({ name: this.name, limit: unlimited(), cost: 0 })], 'store');
  }

  /** Makes the decision of verdicts; there is at least one. */
  decisionOf(verdicts: readonly Verdict[], source: Decision['source']): Decision {
    return decide(this.name, verdicts, source);
  }

  /**
   * Decides in place of an outside that failed, and publishes the failure.
   *
   * @param cost - of the request
   */
  fallback(choice: 'allow' | 'deny', cost: number, error: unknown): Decision {
    reportStoreFailure(this, this.#recorder, choice, error);
    const check = { name: this.name, limit: unlimited(), cost };
    return decide(this.name, [choice === 'allow' ? allowedVerdict(check) : verdictOf(check, DENIED)], choice);
  }

  /** Publishes that a correction could not be made: the charge stays as it is. */
  correctionFailed(error: unknown): void {
    recordFailure(this.#recorder.storeErrors, error);
    publish('sluice:store-error', { error, policy: this.name, source: 'store' });
  }

  /**
   * Counts and publishes a decision about a request. Its keys are not known here.
   *
   * @param startMs - when it began, by `stopwatchMs`
   */
  record(decision: Decision, startMs: number): void {
    if (CHANNELS['sluice:decision'].hasSubscribers) publishDecision(decision, startMs);
    if (decision.source === 'allow' || decision.source === 'deny') {
      // Its verdict is about no limit of the policy.
      recordDecision({ policy: this.#recorder, limits: [] }, { ...decision, verdicts: [] });
      return;
    }
    const limits = decision.verdicts.map(({ name, limit, shadow, marked }) => {
      const recorder = this.#recorder.limit(name);
      const unmarked = shadow ? 0 : 1;
      if (recorder.limit !== limit) recorder.describe(limit, () => (marked ? 'mark' : unmarked));
      return recorder;
    });
    recordDecision({ policy: this.#recorder, limits }, decision);
  }
}
