import type { Measure } from '../comparison.js';
import type { Scale } from '../scale.js';
import { nameOfTurns, REQUESTS_PER_ROUND, REQUESTS_PER_TURN } from '../sections/load.js';
import { roundsOfChild } from './rounds-of-child.js';

/** Nanoseconds of the processor that a shedder takes for a request. */
export function shedders(scale: Scale): readonly Measure[] {
  return REQUESTS_PER_TURN.map((requestsPerTurn) =>
    roundsOfChild(
      {
        task: 'shedder',
        options: { requests: REQUESTS_PER_ROUND * scale.allocations, requestsPerTurn },
        figures: [{ name: nameOfTurns(requestsPerTurn), unit: 'ns' }],
        valuesOf: (ns) => [ns],
      },
      scale,
    ),
  );
}
