import { Child } from '../child-process.js';
import type { Measure } from '../comparison.js';
import type { Scale } from '../scale.js';
import { nameOfTurns, REQUESTS_PER_ROUND, REQUESTS_PER_TURN } from '../sections/load.js';

/** Nanoseconds of the processor that a shedder takes for a request. */
export function shedders(scale: Scale): readonly Measure[] {
  return REQUESTS_PER_TURN.map((requestsPerTurn) => ({
    figures: [{ name: nameOfTurns(requestsPerTurn), unit: 'ns' }],
    async start(program) {
      const options = { requests: REQUESTS_PER_ROUND * scale.allocations, requestsPerTurn };
      const child = await Child.start('shedder', options, { program });
      await child.ask('warmUp', scale.warmUpMs.inProcess);
      return { round: async () => [await child.ask('round')], end: () => child.end() };
    },
  }));
}
