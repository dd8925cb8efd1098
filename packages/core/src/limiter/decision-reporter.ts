// Why it is so: docs/why/verdicts.md

import { allowedVerdict } from '../stores/reply.js';
import type { StoreVerdict } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { CHANNELS, publish, type SluiceEvents } from '../values/events.js';
import { unlimited } from '../values/limit.js';
import { decide } from './decision-builder.js';
import { type DecisionMetrics, metricsOf, noteLimits, recordDecision } from './decision-metrics.js';
import type { StoreOutcome } from './fallback.js';
import type { Policy } from './policy/parse.js';
import { isCounted } from './store-client.js';
import { type VerdictStep, verdictSteps } from './verdict-steps.js';

/** Makes the decisions of a policy from what its store answered, and records those about requests. */
export class DecisionReporter {
  readonly #policy: Policy<never>;
  readonly #metrics: DecisionMetrics;
  /** Completes the verdict of each limit; undefined if all are complete as a store gives them. */
  readonly #steps: readonly VerdictStep[] | undefined;

  constructor(policy: Policy<never>) {
    this.#policy = policy;
    this.#metrics = metricsOf(policy);
    this.#steps = verdictSteps(policy.items);
  }

  /** Notes that the policy's limits are in force from now on. */
  beginUse(): void {
    noteLimits(this.#policy.items, this.#metrics);
  }

  /** Notes that they are in force no more. */
  endUse(): void {
    this.#metrics.policy.removed(this.#metrics.limits);
  }

  /**
   * Returns the decision.
   *
   * @param isRequest - whether it is about a request, and so is recorded
   */
  decision(outcome: StoreOutcome, isRequest = false): Decision {
    const { request, source } = outcome;
    const { verdicts } = outcome.response;
    const isComplete = this.#steps === undefined && verdicts.length === request.checks.length;
    const decision = decide(this.#policy.name, isComplete ? verdicts : this.#completed(outcome), source);
    if (isRequest) recordDecision(this.#metrics, decision);
    return decision;
  }

  /** The decision about a skipped request: no limit counts it. */
  skipped(): Decision {
    const { name, items } = this.#policy;
    const verdicts = items.map((item) => allowedVerdict({ name: item.name, limit: unlimited(), cost: 0 }));
    return decide(name, verdicts, 'store');
  }

  /** Records and publishes that a request is not counted, and why. */
  notCounted(reason: SluiceEvents['sluice:skipped']['reason']): void {
    const { policy } = this.#metrics;
    policy.skipped[reason] += 1;
    if (CHANNELS['sluice:skipped'].hasSubscribers) publish('sluice:skipped', { policy: policy.policy, reason });
  }

  /** Returns one complete verdict of each limit, also of unlimited tiers. */
  #completed({ request: { checks, peek }, response, source }: StoreOutcome): readonly Verdict[] {
    const counted = response.verdicts.values();
    return checks.map((check, i) => {
      const verdict = isCounted(check) ? (counted.next().value as StoreVerdict) : allowedVerdict(check);
      const step = this.#steps?.[i];
      return step ? step(verdict, check, peek === true, source) : verdict;
    });
  }
}
