import { Child } from '../child-process.js';
import type { Figure, Measure } from '../comparison.js';
import type { Round, RoundTask } from '../rounds-of-workers.js';
import type { Scale } from '../scale.js';

/** A task, and what its rounds say. */
interface RoundsOfChild<Name extends RoundTask> {
  readonly task: Name;
  readonly options: object;
  /** See `ChildOptions`. */
  readonly flags?: readonly string[];
  readonly figures: readonly Figure[];
  /** Returns a value for each figure. */
  valuesOf(round: Round<Name>): readonly number[];
}

/** A measure by rounds of a process that has warmed up. */
export function roundsOfChild<Name extends RoundTask>(
  { task, options, flags = [], figures, valuesOf }: RoundsOfChild<Name>,
  { warmUpMs }: Scale,
): Measure {
  return {
    figures,
    async start(program) {
      const child = await Child.start(task, options, { flags, program });
      await child.ask('warmUp', warmUpMs.inProcess);
      return { round: async () => valuesOf((await child.ask('round')) as Round<Name>), end: () => child.end() };
    },
  };
}
