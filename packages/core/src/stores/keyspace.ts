import { getOrCreate } from '../values/get-or-create.js';

/** How a place is told of to users. */
export interface PlaceDescription {
  /** Where it is: `this Redis client under the prefix "sluice:"`. */
  readonly place: string;
  /** How two stores come to count in different places: `give one of the stores another prefix`. */
  readonly suggestion: string;
}

/**
 * Where one store counts. Stores that count in the same place share their counters, so in one place a policy's name
 * belongs to one options object, whichever of the stores the policy is on.
 *
 * A store that can be made twice for the same place makes one of these and shows it as its `keyspaces`, and calls `close`
 * when it is closed. A store before others shows theirs.
 *
 * @example
 * readonly keyspaces = [new Keyspace(client, { place: 'this client', cure: 'give one of the stores a client of its own' })];
 */
export class Keyspace {
  readonly description: PlaceDescription | undefined;
  /** The same object for all stores that count here. */
  readonly place: object;
  #isClosed = false;
  readonly #releases = new Set<() => void>();

  /** @param place - an object of this process that all stores have in common which count here, and no other store. */
  constructor(place: object, description?: PlaceDescription) {
    this.place = place;
    this.description = description;
  }

  /** Whether the names that were claimed by this store are free again. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Frees the names of this store's policies. Other stores keep theirs. */
  close(): void {
    this.#isClosed = true;
    for (const release of this.#releases) release();
    this.#releases.clear();
  }

  /** Has something ended when the store is closed, which may be now. */
  whenClosed(release: () => void): void {
    if (this.#isClosed) release();
    else this.#releases.add(release);
  }
}

/** A store, of which no more has to be known here. */
interface Counting {
  readonly keyspaces?: readonly Keyspace[];
}

const own = new WeakMap<Counting, readonly Keyspace[]>();

/** Where a store counts: in places of its own, unless it says otherwise. */
export function keyspacesOf(store: Counting): readonly Keyspace[] {
  return store.keyspaces ?? getOrCreate(own, store, () => [new Keyspace(store)]);
}
