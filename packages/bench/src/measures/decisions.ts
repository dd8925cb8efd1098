import { Child } from '../child-process.js';
import type { Measure } from '../comparison.js';
import { SLUICE_LIMITS } from '../contenders/sluice-limits.js';
import type { LoadName } from '../loads.js';
import type { Scale } from '../scale.js';
import { DECISIONS_FLAGS } from '../sections/in-process.js';

/** Nanoseconds of the processor for a decision in process, by each algorithm. */
export function decisions(loads: readonly LoadName[], scale: Scale): readonly Measure[] {
  return loads.flatMap((load) =>
    Object.keys(SLUICE_LIMITS).map((contender) => ({
      figures: [{ name: `${contender}: ${load}`, unit: 'ns' }],
      async start(program) {
        const child = await Child.start('decisions', { contender, load, scale }, { flags: DECISIONS_FLAGS, program });
        await child.ask('warmUp', scale.warmUpMs.inProcess);
        return { round: async () => [await child.ask('round')], end: () => child.end() };
      },
    })),
  );
}
