import { getOrCreate } from '../values/get-or-create.js';
import { PRIORITIES } from '../values/priority.js';
import { WeakList } from '../values/weak-list.js';
import type { LoadState } from './shedder.js';

/** A number for each class, by its rank. */
type ByRank = Float64Array;

const newByRank = (): ByRank => new Float64Array(PRIORITIES.length);

/** The counts of all shedders of one name in this process. They are kept until the process ends. */
export class ShedderCounts {
  readonly shedder: string;
  readonly admitted = newByRank();
  readonly refusedByLoop = newByRank();
  readonly refusedInFlight = newByRank();
  exempt = 0;
  readonly #states = new WeakList<LoadState>();

  constructor(shedder: string) {
    this.shedder = shedder;
  }

  /** The states of those shedders that are still used. */
  get states(): Iterable<LoadState> {
    return this.#states;
  }

  addState(state: LoadState): void {
    this.#states.add(state);
  }
}

/** Far more than an application has. Names that a program makes without end must not fill the memory. */
const MOST_SHEDDERS = 1000;

/** Stands for all names beyond this number. */
const OTHERS = '(others)';

const shedders = new Map<string, ShedderCounts>();

/** Returns the counts of all shedders with this name. The first call creates them. */
export function countsOfShedder(name: string): ShedderCounts {
  const known = shedders.get(name);
  if (!known && shedders.size >= MOST_SHEDDERS) return getOrCreate(shedders, OTHERS, () => new ShedderCounts(OTHERS));
  return known ?? getOrCreate(shedders, name, () => new ShedderCounts(name));
}

/** Returns the counts of every shedder of this process. */
export function allShedderCounts(): Iterable<ShedderCounts> {
  return shedders.values();
}
