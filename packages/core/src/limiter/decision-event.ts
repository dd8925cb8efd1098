import { stopwatchMs } from '../values/clock.js';
import type { Decision } from '../values/decision.js';
import { isHeard, publish } from '../values/events.js';
import { hash } from '../values/key.js';
import type { StoreOutcome } from './fallback.js';

/** What makes a decision of what was granted; undefined of a request that is skipped. */
type Step<D extends Decision | undefined> = (outcome: StoreOutcome | undefined) => D;

/** The step, telling of what it comes to if anybody listens: it took as long as from now on. */
export function withDecisionEvent<D extends Decision | undefined>(step: Step<D>): Step<D> {
  return isHeard('sluice:decision') ? telling(step) : step;
}

function telling<D extends Decision | undefined>(step: Step<D>): Step<D> {
  const startMs = stopwatchMs();
  return (outcome) => {
    const decision = step(outcome);
    if (outcome && decision) {
      const keys = outcome.ask.checks.map(({ key }) => hash(key));
      publish('sluice:decision', { decision, keys, durationMs: stopwatchMs() - startMs });
    }
    return decision;
  };
}
