import type { Measure } from '../comparison.js';
import { SLUICE_LIMITS } from '../contenders/sluice-limits.js';
import type { Scale } from '../scale.js';
import { ALLOCATION_FLAGS, ALLOCATION_LOADS } from '../sections/allocation.js';
import { roundsOfChild } from './rounds-of-child.js';

/** Bytes for a decision in process, by each algorithm. */
export function allocations(scale: Scale): readonly Measure[] {
  return ALLOCATION_LOADS.flatMap((load) =>
    Object.keys(SLUICE_LIMITS).map((contender) =>
      roundsOfChild(
        {
          task: 'allocation',
          options: { contender, load, scale },
          flags: ALLOCATION_FLAGS,
          figures: [{ name: `${contender}: ${load}`, unit: 'bytes' }],
          // A collection in between would make it less than nothing.
          valuesOf: (bytes) => [Math.max(0, bytes)],
        },
        scale,
      ),
    ),
  );
}
