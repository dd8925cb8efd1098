// Why it is so: docs/why/metrics.md

import type { LimitCheck } from '../stores/store.js';
import { stopwatchMs } from '../values/clock.js';
import type { Decision } from '../values/decision.js';
import { publish, type SluiceEvents } from '../values/events.js';
import { hash } from '../values/key.js';
import type { StoreOutcome } from './fallback.js';

type Keyed = Pick<LimitCheck, 'key'>;

/** The message of `sluice:decision`. A hash costs several times as much as a decision, so keys are hashed when read. */
class DecisionMessage implements DecisionEvent {
  readonly decision: Decision;
  readonly durationMs: number;
  readonly #checks: readonly Keyed[];
  #keys: readonly string[] | undefined;

  constructor(decision: Decision, durationMs: number, checks: readonly Keyed[]) {
    this.decision = decision;
    this.durationMs = durationMs;
    this.#checks = checks;
  }

  get keys(): readonly string[] {
    this.#keys ??= this.#checks.map(({ key }) => hash(key));
    return this.#keys;
  }

  get encodedKeys(): readonly string[] {
    return this.#checks.map(({ key }) => key);
  }

  /** A property of the class is not written as JSON by itself. */
  toJSON(): Omit<DecisionEvent, 'encodedKeys'> {
    const { decision, keys, durationMs } = this;
    return { decision, keys, durationMs };
  }
}

type DecisionEvent = SluiceEvents['sluice:decision'];

/** Publishes a decision that was begun at `startMs`. */
export function publishDecision(decision: Decision, checks: readonly Keyed[], startMs: number): void {
  publish('sluice:decision', new DecisionMessage(decision, stopwatchMs() - startMs, checks));
}

/** Makes a decision from the outcome; returns undefined for a skipped request. */
type Step<O extends StoreOutcome | undefined, D extends Decision | undefined> = (outcome: O) => D;

/** Returns a step that also publishes its decision. The duration is measured from now on. */
export function publishing<O extends StoreOutcome | undefined, D extends Decision | undefined>(
  step: Step<O, D>,
): Step<O, D> {
  const startMs = stopwatchMs();
  return (outcome) => {
    const decision = step(outcome);
    if (outcome && decision) publishDecision(decision, outcome.request.checks, startMs);
    return decision;
  };
}
