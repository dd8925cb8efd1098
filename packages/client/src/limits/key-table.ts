import type { Key } from '@sluice/core';

/** The most keys that one client remembers. The one that was used least recently is forgotten first. */
const MOST_KEYS = 10_000;

/** What this process knows about each key of a client. */
export class KeyTable<State> {
  readonly #states = new Map<string, State>();
  readonly #make: (key: Key) => State;

  constructor(make: (key: Key) => State) {
    this.#make = make;
  }

  /** Returns the state of a key; undefined if there is none. */
  known(key: Key): State | undefined {
    return this.#states.get(nameOf(key));
  }

  /** Returns the state of a key, which is made if there is none. */
  of(key: Key): State {
    const name = nameOf(key);
    const state = this.#states.get(name) ?? this.#make(key);
    this.#states.delete(name);
    this.#states.set(name, state);
    if (this.#states.size > MOST_KEYS) this.#states.delete(this.#states.keys().next().value as string);
    return state;
  }
}

/** Returns the name of a key. A wrong key, which JSON may not be able to write, gets its error from the limiter. */
function nameOf(key: Key): string {
  try {
    return JSON.stringify(key) ?? '';
  } catch {
    return '';
  }
}
