import { drive } from '../drive.js';
import { LOADS, type LoadName } from '../loads.js';
import { provenDecider } from '../proven.js';
import type { Scale } from '../scale.js';

export interface AllocationOptions {
  readonly contender: string;
  readonly load: LoadName;
  readonly scale: Scale;
}

/** Until everything is compiled that will be. */
const WARM_UPS = 40;

export async function start({ contender, load: name, scale }: AllocationOptions) {
  const load = LOADS[name](scale, contender);
  const decider = await provenDecider(contender, load.quota);
  await drive(decider, load.before);
  for (let i = 0; i < WARM_UPS; i += 1) await drive(decider, load.keys(scale.allocations));
  return {
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
