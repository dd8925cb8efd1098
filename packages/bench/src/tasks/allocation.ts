import { drive } from '../drive.js';
import { type LoadOptions, loaded } from '../loaded.js';
import { workFor } from '../work-for.js';

export async function start(options: LoadOptions) {
  const { load, decider } = await loaded(options);
  const { allocations } = options.scale;
  return {
    warmUp: (ms: number) => workFor(ms, () => drive(decider, load.keys(allocations))),

    /** Bytes per decision. */
    async round(): Promise<number> {
      const keys = load.keys(allocations);
      globalThis.gc?.();
      const before = process.memoryUsage().heapUsed;
      await drive(decider, keys);
      return (process.memoryUsage().heapUsed - before) / keys.length;
    },
  };
}
