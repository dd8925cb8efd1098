import { type Keyspace, keyspacesOf } from '../../stores/keyspace.js';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import type { Store } from '../../stores/store.js';
import type { Clock } from '../../values/clock.js';
import { SluiceError } from '../../values/error.js';
import { getOrCreate } from '../../values/get-or-create.js';

/** The use of a policy's name in one place. All limiters of one owner share it. */
export class NameClaim {
  /** The object that the name belongs to: usually the options. */
  readonly owner: object;
  /** The stores that use the name. */
  readonly holders = new Set<Keyspace>();
  #local: MemoryStore | undefined;

  constructor(owner: object) {
    this.owner = owner;
  }

  /**
   * Counts while the store fails. It is kept when the store recovers, so that the next failure continues its counts.
   * Undefined until it is first needed.
   */
  get local(): MemoryStore | undefined {
    return this.#local;
  }

  /** Returns the same store, and creates it if needed. */
  localStore(clock: Clock): MemoryStore {
    this.#local ??= new MemoryStore({ name: 'local', clock });
    return this.#local;
  }
}

/** By place, then by the name of the policy. */
const claims = new WeakMap<object, Map<string, NameClaim>>();

/**
 * Claims a policy's name for one owner, in the places where the store counts. Two policies with the same name would
 * count each other's requests. If the same owner comes again, the two limiters share their counters.
 *
 * @throws SluiceError `SLUICE_DUPLICATE_NAME`
 */
export function claimName(store: Store, name: string, owner: object): NameClaim {
  const keyspaces = keyspacesOf(store);
  for (const keyspace of keyspaces) {
    const claim = claims.get(keyspace.place)?.get(name);
    if (claim && claim.owner !== owner) throw duplicateName(name, keyspace, claim);
  }
  const [claim = new NameClaim(owner)] = keyspaces.map((keyspace) => claimIn(keyspace, name, owner));
  return claim;
}

function claimIn(keyspace: Keyspace, name: string, owner: object): NameClaim {
  const names = getOrCreate(claims, keyspace.place, () => new Map<string, NameClaim>());
  const claim = getOrCreate(names, name, () => new NameClaim(owner));
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
  const policy = `has a policy named ${JSON.stringify(name)}`;
  const message =
    holders.has(keyspace) || description === undefined
      ? `the store already ${policy}: give one of the two another name`
      : `another store with ${description.place} already ${policy}, and the two would share their counters: ` +
        `give one of the policies another name, ${description.suggestion}, or close() the store that is not used any more`;
  return new SluiceError('SLUICE_DUPLICATE_NAME', message, { path: 'name', received: name });
}
