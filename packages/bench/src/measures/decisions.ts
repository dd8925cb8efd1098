import { Child } from '../child-process.js';
import type { Measure } from '../comparison.js';
import { SLUICE_LIMITS } from '../contenders/sluice-limits.js';
import type { LoadName } from '../loads.js';
import type { Scale } from '../scale.js';

/** Nanoseconds of the processor for a decision in process, by each algorithm. */
export function decisions(loads: readonly LoadName[], scale: Scale): readonly Measure[] {
  return loads.flatMap((load) =>
    Object.keys(SLUICE_LIMITS).map((contender) => ({
      figures: [{ name: `${contender}: ${load}`, unit: 'ns' }],
      async start(program) {
        const child = await Child.start('decisions', { contender, load, scale }, { program });
        return { round: async () => [await child.ask('round')], end: () => child.end() };
      },
    })),
  );
}
