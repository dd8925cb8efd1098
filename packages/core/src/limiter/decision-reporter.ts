// Why it is so: docs/why/verdicts.md

import { allowedVerdict } from '../stores/reply.js';
import type { LimitCheck } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { CHANNELS, publish, type SluiceEvents } from '../values/events.js';
import { unlimited } from '../values/limit.js';
import { decide } from './decision-builder.js';
import { type DecisionMetrics, metricsOf, noteLimits, recordDecision } from './decision-metrics.js';
import type { StoreOutcome } from './fallback.js';
import { hasParts, type PartFolder, partFolder } from './guarantee.js';
import type { Policy } from './policy/parse.js';
import { isCounted } from './store-client.js';
import { type VerdictStep, verdictSteps } from './verdict-steps.js';

/** Makes the decisions of a policy from what its store answered, and records those about requests. */
export class DecisionReporter {
  readonly #policy: Policy<never>;
  readonly #metrics: DecisionMetrics;
  /** Completes the verdict of each limit; undefined if all are complete as a store gives them. */
  readonly #steps: readonly VerdictStep[] | undefined;
  readonly #foldParts: PartFolder | undefined;

  constructor(policy: Policy<never>) {
    this.#policy = policy;
    this.#metrics = metricsOf(policy);
    this.#steps = verdictSteps(policy.items);
    this.#foldParts = partFolder(policy.items);
  }

  /** Notes that the policy's limits are in force from now on. */
  beginUse(): void {
    noteLimits(this.#policy.items, this.#metrics);
  }

  /** Notes that they are in force no more. */
  endUse(): void {
    this.#metrics.policy.removed(this.#metrics.limits);
  }

  /** Returns the decision about a request, and records it. */
  requestDecision(outcome: StoreOutcome): Decision {
    const decision = this.decision(outcome);
    recordDecision(this.#metrics, decision);
    return decision;
  }

  /** Returns the decision, and records nothing. */
  decision(outcome: StoreOutcome): Decision {
    const { verdicts, request, source } = outcome;
    const isComplete = this.#steps === undefined && verdicts.length === request.checks.length;
    return decide(this.#policy.name, isComplete ? verdicts : this.#completed(outcome), source);
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

  /** Returns one complete verdict of each limit: with those of unlimited tiers, and without those of parts. */
  #completed({ request: { checks, peek }, verdicts, source }: StoreOutcome): readonly Verdict[] {
    const answered = verdicts.values();
    const next = (): Verdict => answered.next().value as Verdict;
    return checks.map((check, i) => {
      const verdict = isCounted(check) ? this.#folded(check, next, source) : allowedVerdict(check);
      const step = this.#steps?.[i];
      return step ? step(verdict, check, peek === true) : verdict;
    });
  }

  #folded(check: LimitCheck, next: () => Verdict, source: Decision['source']): Verdict {
    if (!this.#foldParts || !hasParts(check)) return next();
    const [own, all, whole] = [next(), next(), next()];
    return this.#foldParts(whole, own, all, source);
  }
}
