import type { Measure } from '../comparison.js';
import { SLUICE_LIMITS } from '../contenders/sluice-limits.js';
import type { LoadName } from '../loads.js';
import type { Scale } from '../scale.js';
import { DECISIONS_FLAGS } from '../sections/in-process.js';
import { roundsOfChild } from './rounds-of-child.js';

/** Nanoseconds of the processor for a decision in process, by each algorithm. */
export function decisions(loads: readonly LoadName[], scale: Scale): readonly Measure[] {
  return loads.flatMap((load) =>
    Object.keys(SLUICE_LIMITS).map((contender) =>
      roundsOfChild(
        {
          task: 'decisions',
          options: { contender, load, scale },
          flags: DECISIONS_FLAGS,
          figures: [{ name: `${contender}: ${load}`, unit: 'ns' }],
          valuesOf: (ns) => [ns],
        },
        scale,
      ),
    ),
  );
}
