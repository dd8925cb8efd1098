import { withCosts } from '../costs.js';
import { drive } from '../drive.js';
import { LOADS, type LoadName } from '../loads.js';
import { processorMs } from '../processor-time.js';
import { promoteYoung } from '../promote-young.js';
import { provenDecider } from '../proven.js';
import type { Scale } from '../scale.js';
import { workFor } from '../work-for.js';

export interface DecisionsOptions {
  readonly contender: string;
  readonly load: LoadName;
  readonly scale: Scale;
}

export async function start({ contender, load: name, scale }: DecisionsOptions) {
  const load = LOADS[name](scale, contender);
  const decider = await provenDecider(contender, load.quota);
  const driven = load.hasCosts ? withCosts(decider) : decider;
  await drive(decider, load.before);
  let decisions = scale.decisions;

  /** In nanoseconds of the processor. */
  const nsOfEach = async (keys: readonly string[]): Promise<number> => {
    const startMs = processorMs();
    await drive(driven, keys);
    return ((processorMs() - startMs) * 1e6) / keys.length;
  };
  const keysToWarmUp = load.keysToWarmUp ?? load.keys;
  return {
    round(): Promise<number> {
      const keys = load.keys(decisions);
      // All keys of a round are in use until its end. A contender that makes objects would have the collector copy them,
      // while a server has few keys in use at a time.
      promoteYoung();
      return nsOfEach(keys);
    },

    /** Finds how many decisions fill a round, too. */
    warmUp: (ms: number) =>
      workFor(ms, async () => {
        const ns = await nsOfEach(keysToWarmUp(decisions));
        decisions = Math.max(scale.decisions, Math.floor((scale.roundMs * 1e6) / ns));
      }),
  };
}
