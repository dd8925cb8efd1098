import type { Priority } from '@sluice/core/src/values/priority';
import type { LoadState } from './shedder.js';

/** What a `LiveState` shows. */
interface StateSource {
  readonly border: Priority | undefined;
  readonly ageMs: number;
  readonly limit: number;
  readonly inFlight: number;
}

/** Shows the present whenever it is read, so that a state for each request costs no object. */
export class LiveState implements LoadState {
  readonly #source: StateSource;

  constructor(source: StateSource) {
    this.#source = source;
  }

  get isShedding(): boolean {
    return this.#source.border !== undefined;
  }

  get border(): Priority | undefined {
    return this.#source.border;
  }

  get ageMs(): number {
    return this.#source.ageMs;
  }

  get limit(): number {
    return this.#source.limit;
  }

  get inFlight(): number {
    return this.#source.inFlight;
  }

  /** The state at one moment. JSON and logs leave out the getters of a class. */
  toJSON(): LoadState {
    const { isShedding, border, ageMs, limit, inFlight } = this;
    return { isShedding, border, ageMs, limit, inFlight };
  }
}
