import { withCosts } from '../costs.js';
import { drive } from '../drive.js';
import { type LoadOptions, loaded } from '../loaded.js';
import { processorMs } from '../processor-time.js';
import { promoteYoung } from '../promote-young.js';
import { workFor } from '../work-for.js';

export async function start(options: LoadOptions) {
  const { scale } = options;
  const { load, decider } = await loaded(options);
  const driven = load.hasCosts ? withCosts(decider) : decider;
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
