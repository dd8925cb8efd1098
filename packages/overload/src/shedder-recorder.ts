import { NamedRecorders } from '@sluice/core/src/values/named-recorders';
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

const shedders = new NamedRecorders(1000, (name) => new ShedderRecorder(name));

/** Returns the recorder of all shedders with this name. The first call creates it. */
export function shedderRecorderOf(name: string): ShedderRecorder {
  return shedders.of(name);
}

/** Returns the recorders of all shedders of this process. */
export function allShedderRecorders(): Iterable<ShedderRecorder> {
  return shedders.all();
}
