// Why it is so: docs/why/keys-and-names.md

import { getOrCreate } from '../values/get-or-create.js';

/** Describes a place where stores count, for error messages. */
export interface PlaceDescription {
  /** The place: `this Redis client under the prefix "sluice:"`. */
  readonly place: string;
  /** How to make two stores count in different places: `give one of the stores another prefix`. */
  readonly suggestion: string;
}

/**
 * Identifies the place where a store counts. Stores with the same place share their counters. In one place, a policy's
 * name therefore belongs to one options object, whichever of the stores the policy uses.
 *
 * If your store can be made twice for the same place, make a `Keyspace` in the constructor, show it as `keyspaces`, and
 * call `close` when the store is closed. A store in front of others shows their keyspaces.
 *
 * @example
 * readonly keyspaces = [new Keyspace(client, { place: 'this client', suggestion: 'give one of the stores a client of its own' })];
 */
export class Keyspace {
  /** How messages name the place, if another store counts there, too. */
  readonly description: PlaceDescription | undefined;
  /** The same object for all stores that count here. */
  readonly place: object;
  #isClosed = false;
  #identity: string | undefined;
  readonly #releases = new Set<() => void>();
  readonly #listeners = new Set<(identity: string) => void>();

  /** @param place - an object that all stores which count here share, and no other store has */
  constructor(place: object, description?: PlaceDescription) {
    this.place = place;
    this.description = description;
  }

  /** Whether the names that this store's policies use are free again. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Frees the names of this store's policies. Names of other stores stay in use. */
  close(): void {
    this.#isClosed = true;
    for (const release of this.#releases) release();
    this.#releases.clear();
    this.#listeners.clear();
  }

  /**
   * Says what the place is, once that is known: two places with one identity are the same, for example because two clients
   * are connected to one server. Then a warning is given if both have a policy with the same name. Call it once.
   *
   * @param identity - a text that no other place in the world has
   */
  identify(identity: string): void {
    if (this.#isClosed || this.#identity !== undefined) return;
    this.#identity = identity;
    for (const listener of this.#listeners) listener(identity);
    this.#listeners.clear();
  }

  /** Calls `listener` when it is known what the place is: at once if it already is. */
  whenIdentified(listener: (identity: string) => void): void {
    if (this.#identity !== undefined) listener(this.#identity);
    else if (!this.#isClosed) this.#listeners.add(listener);
  }

  /** Calls `release` when the store is closed: at once if it already is. Returns a function that ends that. */
  whenClosed(release: () => void): () => void {
    if (this.#isClosed) release();
    else this.#releases.add(release);
    return () => void this.#releases.delete(release);
  }
}

/** The part of a store that matters here. */
interface Counting {
  readonly keyspaces?: readonly Keyspace[];
}

const own = new WeakMap<Counting, readonly Keyspace[]>();

/** Returns the places where a store counts. A store without `keyspaces` has a place of its own. */
export function keyspacesOf(store: Counting): readonly Keyspace[] {
  return store.keyspaces ?? getOrCreate(own, store, () => [new Keyspace(store)]);
}
