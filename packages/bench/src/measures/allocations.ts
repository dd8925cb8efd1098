import { Child } from '../child-process.js';
import type { Measure } from '../comparison.js';
import { SLUICE_LIMITS } from '../contenders/sluice-limits.js';
import type { Scale } from '../scale.js';
import { ALLOCATION_FLAGS, ALLOCATION_LOADS } from '../sections/allocation.js';

/** Bytes for a decision in process, by each algorithm. */
export function allocations(scale: Scale): readonly Measure[] {
  return ALLOCATION_LOADS.flatMap((load) =>
    Object.keys(SLUICE_LIMITS).map((contender) => ({
      figures: [{ name: `${contender}: ${load}`, unit: 'bytes' }],
      async start(program) {
        const options = { contender, load, scale };
        const child = await Child.start('allocation', options, { flags: ALLOCATION_FLAGS, program });
        await child.ask('warmUp', scale.warmUpMs.inProcess);
        // A collection in between would make it less than nothing.
        return { round: async () => [Math.max(0, await child.ask('round'))], end: () => child.end() };
      },
    })),
  );
}
