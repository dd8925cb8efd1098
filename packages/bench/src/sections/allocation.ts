import { MEMORY_CONTENDERS } from '../contenders/memory/index.js';
import type { LoadName } from '../loads.js';
import { roundsOfWorkers } from '../rounds-of-workers.js';
import type { Section } from '../section.js';
import { spreadOf } from '../spread.js';
import type { Cell } from '../table.js';

export const ALLOCATION_LOADS: readonly LoadName[] = ['hot key, allowed', 'hot key, refused', 'many keys, uniform'];
/** Room for all that is allocated between two looks. */
export const ALLOCATION_FLAGS = ['--expose-gc', '--min-semi-space-size=128', '--max-semi-space-size=128'];

/** What decisions leave for the garbage collector. */
export const allocation: Section = {
  title: 'Bytes allocated per decision',

  async *run(scale) {
    const rows = new Map([...MEMORY_CONTENDERS.keys()].map((name): [string, Cell[]] => [name, [name]]));
    for (const load of ALLOCATION_LOADS) {
      const optionsOf = (contender: string): object => ({ contender, load, scale });
      const results = await roundsOfWorkers('allocation', [...rows.keys()], optionsOf, scale, ALLOCATION_FLAGS);
      for (const [name, bytes] of results) rows.get(name)?.push(Math.max(0, spreadOf(bytes).median));
    }
    yield { caption: 'Bytes per decision', head: ['', ...ALLOCATION_LOADS], rows: [...rows.values()] };
  },
};
