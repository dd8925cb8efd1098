// Why it is so: docs/why/keys-and-names.md

import { type Keyspace, keyspacesOf } from '../../stores/keyspace.js';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import type { Store } from '../../stores/store.js';
import type { Clock } from '../../values/clock.js';
import { optionError, SluiceError } from '../../values/error.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { warn } from '../../values/warning.js';
import { ownerOf } from './owner.js';

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

  /** Ends what was counted while the store failed. Slots that nobody has freed are renewed no more, and keep no process alive. */
  close(): void {
    this.#local?.close();
    this.#local = undefined;
  }
}

/** By place, then by the name of the policy. */
const claims = new WeakMap<object, Map<string, NameClaim>>();

/**
 * Claims a policy's name for one owner, in the places where the store counts. Two policies with the same name would
 * count each other's requests. If the same owner comes again, the two limiters share their counters.
 *
 * @throws SluiceError `SLUICE_OPTION` if the owner is no object, `SLUICE_DUPLICATE_NAME`
 */
export function claimName(store: Store, name: string, claimant: object): NameClaim {
  checkOwner(claimant);
  const owner = ownerOf(claimant);
  const keyspaces = keyspacesOf(store);
  for (const keyspace of keyspaces) {
    const claim = claims.get(keyspace.place)?.get(name);
    if (claim && claim.owner !== owner) throw duplicateName(name, keyspace, claim);
  }
  const [claim = new NameClaim(owner)] = keyspaces.map((keyspace) => claimIn(keyspace, name, owner));
  return claim;
}

/** Text and numbers have no identity: two parts of a program could pass the same by accident. */
function checkOwner(owner: object): void {
  const isOwner = typeof owner === 'function' || (typeof owner === 'object' && owner !== null);
  if (!isOwner) throw optionError('owner', 'must be an object', owner);
}

function claimIn(keyspace: Keyspace, name: string, owner: object): NameClaim {
  const names = getOrCreate(claims, keyspace.place, () => new Map<string, NameClaim>());
  const claim = getOrCreate(names, name, () => new NameClaim(owner));
  if (!claim.holders.has(keyspace)) {
    claim.holders.add(keyspace);
    keyspace.whenClosed(() => {
      claim.holders.delete(keyspace);
      if (claim.holders.size > 0) return;
      names.delete(name);
      claim.close();
    });
    keyspace.whenIdentified((identity) => noteIdentity(identity, name, claim, keyspace));
  }
  return claim;
}

/** By the identity of the place, then by the name of the policy: claims of places that nobody knew to be one. */
const identified = new Map<string, Map<string, Set<NameClaim>>>();

/** Warns if a policy of another owner has the same name in the same place. */
function noteIdentity(identity: string, name: string, claim: NameClaim, keyspace: Keyspace): void {
  const names = getOrCreate(identified, identity, () => new Map<string, Set<NameClaim>>());
  const claimants = getOrCreate(names, name, () => new Set<NameClaim>());
  const [first] = claimants;
  // Once is enough, whoever comes after the second one.
  if (first && claimants.size === 1 && first.owner !== claim.owner) warnOfSharing(name, keyspace);
  claimants.add(claim);
  keyspace.whenClosed(() => {
    if (claim.holders.size > 0) return;
    claimants.delete(claim);
    if (claimants.size === 0) names.delete(name);
    if (names.size === 0) identified.delete(identity);
  });
}

function warnOfSharing(name: string, { description }: Keyspace): void {
  const suggestion = description ? `, or ${description.suggestion}` : '';
  warn(
    'SLUICE_NAME_SHARED',
    `Two clients of one server have a policy named ${JSON.stringify(name)}, so the two share their counters: give one of the policies another name${suggestion}. If they are one policy made again, pass one owner to both.`,
  );
}

function duplicateName(name: string, keyspace: Keyspace, { holders }: NameClaim): SluiceError {
  const { description } = keyspace;
  const policy = `has a policy named ${JSON.stringify(name)}`;
  const message =
    holders.has(keyspace) || description === undefined
      ? `the store already ${policy}: give one of the two another name`
      : `another store with ${description.place} already ${policy}, and the two would share their counters: ` +
        `give one of the policies another name, ${description.suggestion}, or close() the unused store`;
  return new SluiceError('SLUICE_DUPLICATE_NAME', message, { path: 'name', received: name });
}
