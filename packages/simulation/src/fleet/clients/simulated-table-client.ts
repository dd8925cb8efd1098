import type { CompareAndSwapBackend, Snapshot, Swap } from '@sluice/core/store';
import type { SimulatedTable } from '../../table/simulated-table.js';
import type { Link } from '../../world/link.js';
import type { ServerNode } from '../servers/server-node.js';

/** How long a call takes to fail if nobody answers: a setting of the application's driver. */
const DRIVER_TIMEOUT_MS = 5000;

/** Where a client of a table runs, and what it asks. */
interface TablePlace {
  readonly link: Link;
  readonly node: ServerNode;
  readonly table: SimulatedTable;
  /** Runs something in the process after a while. Returns a function that calls it off. */
  readonly later: (ms: number, run: () => void) => () => void;
}

/** Asks a table over the network. Each call is a message of its own: calls may overtake each other, come twice, or get no answer. */
export class SimulatedTableClient implements CompareAndSwapBackend {
  readonly #place: TablePlace;

  constructor(place: TablePlace) {
    this.#place = place;
  }

  read(keys: readonly string[]): Promise<Snapshot> {
    return this.#call((table) => table.read(keys));
  }

  swap(swaps: readonly Swap[], notAfterMs: number | undefined): Promise<boolean> {
    return this.#call((table) => table.swap(swaps, notAfterMs));
  }

  delete(keys: readonly string[]): Promise<number> {
    return this.#call((table) => table.delete(keys));
  }

  #call<T>(work: (table: SimulatedTable) => T): Promise<T> {
    const { link, node, table, later } = this.#place;
    return new Promise((resolve, reject) => {
      const stopWaiting = later(DRIVER_TIMEOUT_MS, () => reject(new Error('the database did not answer')));
      const answered = (run: () => void): void =>
        link.toProcess(link.arrivalMs('process'), () => {
          stopWaiting();
          run();
        });
      const failed = (why: string): void => answered(() => reject(new Error(why)));
      if (link.isBroken || link.breaksNow()) return failed('the connection to the database broke');
      const deliver = (): void =>
        link.toServer(link.arrivalMs('server'), () => {
          if (!node.isUp) return failed('the database refused the connection');
          node.receive(() => {
            const answer = answerOf(() => work(table));
            if (link.breaksNow() || link.isBroken) return failed('the connection to the database broke');
            answered(() => ('error' in answer ? reject(answer.error) : resolve(answer.value)));
          });
        });
      deliver();
      if (link.arrivesTwice()) deliver();
    });
  }
}

function answerOf<T>(work: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
