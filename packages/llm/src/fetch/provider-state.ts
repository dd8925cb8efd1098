import type { Advice } from '@sluice/client';
import type { Key } from '@sluice/core';
import { StatedLimits } from './stated-limits.js';

const FIRST_STOP_MS = 1000;
const LONGEST_STOP_MS = 60_000;

/** How many keys are remembered. The one that was used least recently is forgotten first. */
const MOST_KEYS = 10_000;

/** What this process knows about a provider and one key. */
class ProviderState {
  readonly stated = new StatedLimits();
  #refusalsInARow = 0;

  /**
   * Returns how many milliseconds to stop after a refusal that states no time: until the limit that is used up is full again, if
   * the provider says when; else a second, and twice as long with each further refusal in a row, up to a minute.
   */
  stopMs(advice: readonly Advice[]): number {
    const doubledMs = Math.min(LONGEST_STOP_MS, FIRST_STOP_MS * 2 ** this.#refusalsInARow);
    this.#refusalsInARow += 1;
    return (
      Math.max(0, ...advice.map(({ remaining, resetAfterMs = 0 }) => (remaining === 0 ? resetAfterMs : 0))) || doubledMs
    );
  }

  succeeded(): void {
    this.#refusalsInARow = 0;
  }
}

/** The states of the keys that were used last. */
export class ProviderStates {
  readonly #states = new Map<string, ProviderState>();

  of(key: Key): ProviderState {
    const name = JSON.stringify(key);
    const state = this.#states.get(name) ?? new ProviderState();
    this.#states.delete(name);
    this.#states.set(name, state);
    const [oldest] = this.#states.keys();
    if (this.#states.size > MOST_KEYS && oldest !== undefined) this.#states.delete(oldest);
    return state;
  }
}
