import { getOrCreate } from '@sluice/core/src/values/get-or-create';
import { PRIORITIES } from '@sluice/core/src/values/priority';
import { WeakList } from '@sluice/core/src/values/weak-list';
import type { LoadState } from './shedder.js';

/** A number for each class, by its rank. */
type ByRank = Float64Array;

const newByRank = (): ByRank => new Float64Array(PRIORITIES.length);

/** Records what all shedders of one name do in this process. The numbers are kept until the process ends. */
export class ShedderRecorder {
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

const shedders = new Map<string, ShedderRecorder>();

/** Returns the recorder of all shedders with this name. The first call creates it. */
export function shedderRecorderOf(name: string): ShedderRecorder {
  const known = shedders.get(name);
  if (!known && shedders.size >= MOST_SHEDDERS) return getOrCreate(shedders, OTHERS, () => new ShedderRecorder(OTHERS));
  return known ?? getOrCreate(shedders, name, () => new ShedderRecorder(name));
}

/** Returns the recorders of all shedders of this process. */
export function allShedderRecorders(): Iterable<ShedderRecorder> {
  return shedders.values();
}
