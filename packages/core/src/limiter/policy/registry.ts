import { type Keyspace, keyspacesOf } from '../../stores/keyspace.js';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import type { Store } from '../../stores/store.js';
import type { Clock } from '../../values/clock.js';
import { SluiceError } from '../../values/error.js';
import { getOrCreate } from '../../values/get-or-create.js';

/** A policy's name where it is counted: all limiters made of one options object have it in common. */
export class NameClaim {
  readonly options: object;
  /** By which stores the name is held. */
  readonly holders = new Set<Keyspace>();
  #local: MemoryStore | undefined;

  constructor(options: object) {
    this.options = options;
  }

  /**
   * Counts while the store is gone. It is kept when the store recovers, so that the next failure goes on counting where
   * this one ended. Undefined until it was needed.
   */
  get local(): MemoryStore | undefined {
    return this.#local;
  }

  /** The same, made when it is needed for the first time. */
  localStore(clock: Clock): MemoryStore {
    this.#local ??= new MemoryStore({ clock });
    return this.#local;
  }
}

/** By place, and by the policy's name. */
const claims = new WeakMap<object, Map<string, NameClaim>>();

/**
 * Where a store counts, a policy name belongs to one options object, because two policies of one name would count each
 * other's requests. The same options object may come again: then sharing is meant.
 *
 * @throws SluiceError `SLUICE_DUPLICATE_NAME`
 */
export function claimName(store: Store, name: string, options: object): NameClaim {
  const keyspaces = keyspacesOf(store);
  for (const keyspace of keyspaces) {
    const claim = claims.get(keyspace.place)?.get(name);
    if (claim && claim.options !== options) throw duplicateName(name, keyspace, claim);
  }
  const [claim = new NameClaim(options)] = keyspaces.map((keyspace) => claimIn(keyspace, name, options));
  return claim;
}

function claimIn(keyspace: Keyspace, name: string, options: object): NameClaim {
  const names = getOrCreate(claims, keyspace.place, () => new Map<string, NameClaim>());
  const claim = getOrCreate(names, name, () => new NameClaim(options));
  if (!claim.holders.has(keyspace)) {
    claim.holders.add(keyspace);
    keyspace.whenClosed(() => {
      claim.holders.delete(keyspace);
      if (claim.holders.size === 0) names.delete(name);
    });
  }
  return claim;
}

function duplicateName(name: string, keyspace: Keyspace, { holders }: NameClaim): SluiceError {
  const { description } = keyspace;
  const policy = `a policy named ${JSON.stringify(name)}`;
  const message =
    holders.has(keyspace) || description === undefined
      ? `${policy} is on this store already: give one of the two a name of its own`
      : `${policy} is on another store with ${description.place} already, and the two would share their counters: ` +
        `give one of the policies a name of its own, ${description.suggestion}, or close() the store that is used no more`;
  return new SluiceError('SLUICE_DUPLICATE_NAME', message, { path: 'name', received: name });
}
