import { CHANNELS, publish } from '@sluice/core/src/values/events';
import type { LoadState } from './shedder.js';

/** How far the limit moves, as a part of it, before it is published again. */
const STEP = 0.2;

/** Publishes `sluice:load` whenever the border has changed, or the limit has moved far enough. */
export class LoadEvents {
  readonly #name: string;
  readonly #state: LoadState;
  /** What was published last. */
  #border: number | undefined;
  #limit: number;

  constructor(name: string, state: LoadState) {
    this.#name = name;
    this.#state = state;
    this.#limit = state.limit;
  }

  /** @param border - the rank of the class */
  borderIs(border: number | undefined): void {
    if (border === this.#border) return;
    this.#border = border;
    this.#publish();
  }

  limitIs(limit: number): void {
    if (limit === this.#limit || Math.abs(limit - this.#limit) < STEP * this.#limit) return;
    this.#limit = limit;
    this.#publish();
  }

  #publish(): void {
    if (!CHANNELS['sluice:load'].hasSubscribers) return;
    const { isShedding, border, ageMs, inFlight } = this.#state;
    publish('sluice:load', { name: this.#name, isShedding, border, limit: this.#limit, ageMs, inFlight });
  }
}
