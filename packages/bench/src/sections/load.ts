import { roundsOfWorkers } from '../rounds-of-workers.js';
import type { Section } from '../section.js';
import { differences, spreadOf } from '../spread.js';

/** A round has at least this many requests for each decision that `Scale.allocations` says: a round of processor time. */
export const REQUESTS_PER_ROUND = 20;

/** How many requests a server reads in one turn of its event loop: one at low load, several at high load. */
export const REQUESTS_PER_TURN = [1, 10];

const EMPTY = 'an empty function';

export const nameOfTurns = (perTurn: number): string =>
  `admitted and answered, ${perTurn === 1 ? 'one request' : `${perTurn} requests`} per turn`;

/** What a shedder costs a request while the process keeps up. */
export const load: Section = {
  title: 'Load shedding',

  async *run(scale) {
    const requests = REQUESTS_PER_ROUND * scale.allocations;
    const perTurn = new Map([[EMPTY, 0], ...REQUESTS_PER_TURN.map((count) => [nameOfTurns(count), count] as const)]);
    const optionsOf = (name: string): object => ({ requests, requestsPerTurn: perTurn.get(name) });
    const costs = await roundsOfWorkers('shedder', [...perTurn.keys()], optionsOf, scale);
    const empty = costs.get(EMPTY) ?? [];
    yield {
      caption: 'The process keeps up; all readings are those of the event loop',
      head: ['', 'ns of the processor each', 'more'],
      rows: [...costs].map(([name, ns]) => [name, spreadOf(ns), differences(ns, empty)]),
    };
  },
};
