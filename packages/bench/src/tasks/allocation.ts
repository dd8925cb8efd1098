import { drive } from '../drive.js';
import { LOADS, type LoadName } from '../loads.js';
import { provenDecider } from '../proven.js';
import type { Scale } from '../scale.js';
import { workFor } from '../work-for.js';

export interface AllocationOptions {
  readonly contender: string;
  readonly load: LoadName;
  readonly scale: Scale;
}

export async function start({ contender, load: name, scale }: AllocationOptions) {
  const load = LOADS[name](scale, contender);
  const decider = await provenDecider(contender, load.quota);
  await drive(decider, load.before);
  return {
    warmUp: (ms: number) => workFor(ms, () => drive(decider, load.keys(scale.allocations))),

    /** Bytes per decision. */
    async round(): Promise<number> {
      const keys = load.keys(scale.allocations);
      globalThis.gc?.();
      const before = process.memoryUsage().heapUsed;
      await drive(decider, keys);
      return (process.memoryUsage().heapUsed - before) / keys.length;
    },
  };
}
