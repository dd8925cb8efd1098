import { SluiceError } from '../error.js';
import { getOrMake } from '../get-or-make.js';
import { MemoryStore } from '../memory-store.js';
import type { Store } from '../store.js';

/** A policy's name on a store: all limiters made of one options object have it in common. */
export class NameClaim {
  readonly options: object;
  readonly #store: Store;
  #local: MemoryStore | undefined;

  constructor(options: object, store: Store) {
    this.options = options;
    this.#store = store;
  }

  /**
   * Counts while the store is gone. It is kept when the store recovers, so that the next failure goes on counting where
   * this one ended. Undefined until it was needed.
   */
  get local(): MemoryStore | undefined {
    return this.#local;
  }

  /** The same, made when it is needed for the first time. */
  localStore(): MemoryStore {
    this.#local ??= new MemoryStore({ clock: this.#store.clock });
    return this.#local;
  }
}

const claims = new WeakMap<Store, Map<string, NameClaim>>();

/**
 * On one store a policy name belongs to one options object, because two policies of one name would count each other's
 * requests. The same options object may come again: then sharing is meant.
 */
export function claimName(store: Store, name: string, options: object): NameClaim {
  const owners = getOrMake(claims, store, () => new Map<string, NameClaim>());
  const claim = getOrMake(owners, name, () => new NameClaim(options, store));
  if (claim.options === options) return claim;
  const message = `a policy named ${JSON.stringify(name)} is on this store already: give one of the two a name of its own`;
  throw new SluiceError('SLUICE_DUPLICATE_NAME', message, { path: 'name', received: name });
}
