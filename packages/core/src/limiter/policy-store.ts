import { MemoryStore } from '../stores/memory/memory-store.js';
import { remoteStore } from '../stores/remote/remote-store.js';
import type { Store } from '../stores/store.js';
import { optionError } from '../values/error.js';
import type { Args } from './policy/options.js';
import { outlineOf, type Policy } from './policy/parse.js';

/**
 * Returns the store of a policy: the user's store after checks, or a new MemoryStore. A remote store gets a deadline
 * and a cache of refusals.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` if the store cannot count the policy
 */
export function storeFor<A extends Args>(policy: Policy<A>, store: Store | undefined): Store {
  const asked = store === undefined ? new MemoryStore() : store;
  if (typeof asked?.consume !== 'function' || typeof asked.adjust !== 'function' || !asked.clock)
    throw optionError('store', 'must be a store, like new MemoryStore()', asked);
  asked.accept?.(outlineOf(policy));
  return remoteStore(asked);
}
