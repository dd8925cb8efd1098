// Why it is so: docs/why/metrics.md

import type { LimitCheck } from '../stores/store.js';
import { stopwatchMs } from '../values/clock.js';
import type { Decision } from '../values/decision.js';
import { publish, type SluiceEvents } from '../values/events.js';
import { hash } from '../values/key.js';
import type { StoreOutcome } from './fallback.js';
import { isCounted } from './store-client.js';

/** What a store has decided, and about what. */
type Decided = Pick<StoreOutcome, 'request' | 'response'>;

const NO_CHECKS: readonly LimitCheck[] = [];

/** The message of `sluice:decision`. A hash costs several times as much as a decision, so keys are hashed when read. */
class DecisionMessage implements DecisionEvent {
  readonly decision: Decision;
  readonly durationMs: number;
  readonly #decided: Decided | undefined;
  #keys: readonly string[] | undefined;

  constructor(decision: Decision, durationMs: number, decided: Decided | undefined) {
    this.decision = decision;
    this.durationMs = durationMs;
    this.#decided = decided;
  }

  get #checks(): readonly LimitCheck[] {
    return this.#decided?.request.checks ?? NO_CHECKS;
  }

  get keys(): readonly string[] {
    this.#keys ??= this.#checks.map(({ key }) => hash(key));
    return this.#keys;
  }

  get encodedKeys(): readonly string[] {
    return this.#checks.map(({ key }) => key);
  }

  get timesMs(): readonly number[] {
    if (!this.#decided) return [];
    const { atMs, timesMs } = this.#decided.response;
    const counted = timesMs?.values();
    // Unlimited tiers have no time of their own.
    return this.#checks.map((check) => (isCounted(check) ? counted?.next().value : undefined) ?? atMs);
  }

  /** A property of the class is not written as JSON by itself. */
  toJSON(): Omit<DecisionEvent, 'encodedKeys' | 'timesMs'> {
    const { decision, keys, durationMs } = this;
    return { decision, keys, durationMs };
  }
}

type DecisionEvent = SluiceEvents['sluice:decision'];

/**
 * Publishes a decision. To read the clock twice would take longer than a decision that waits for nothing, whose duration is 0.
 *
 * @param startMs - when it was begun; undefined if it has waited for nothing
 * @param decided - undefined if a decision service has decided
 */
export function publishDecision(decision: Decision, startMs: number | undefined, decided?: Decided): void {
  const durationMs = startMs === undefined ? 0 : stopwatchMs() - startMs;
  publish('sluice:decision', new DecisionMessage(decision, durationMs, decided));
}

/** Makes a decision from the outcome; returns undefined for a skipped request. */
type Step<O extends StoreOutcome | undefined, D extends Decision | undefined> = (outcome: O) => D;

/**
 * Returns a step that also publishes its decision.
 *
 * @param mayTakeTime - whether the decision may have to wait: then its duration is measured from now on
 */
export function publishing<O extends StoreOutcome | undefined, D extends Decision | undefined>(
  step: Step<O, D>,
  mayTakeTime: boolean,
): Step<O, D> {
  const startMs = mayTakeTime ? stopwatchMs() : undefined;
  return (outcome) => {
    const decision = step(outcome);
    if (outcome && decision) publishDecision(decision, startMs, outcome);
    return decision;
  };
}
