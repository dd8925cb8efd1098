import { MemoryStore } from '../stores/memory/memory-store.js';
import { isOverNetwork, type NetworkStore } from '../stores/network-store.js';
import type { Store } from '../stores/store.js';
import { optionError } from '../values/error.js';
import type { Args } from './policy/options.js';
import { outlineOf, type Policy } from './policy/parse.js';

/**
 * Returns the store of a policy: the user's store after checks, or a new MemoryStore. A store over a network is protected by what it
 * brings for that: it gets a deadline and a cache of refusals.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` if the store cannot count the policy
 */
export function storeFor<A extends Args>(policy: Policy<A>, store: Store | undefined): Store {
  const asked = store === undefined ? new MemoryStore() : store;
  if (typeof asked?.consume !== 'function' || typeof asked.adjust !== 'function' || !asked.clock)
    throw optionError('store', `must be a store, like new MemoryStore()${insteadOf(asked)}`, asked);
  asked.accept?.(outlineOf(policy));
  return isOverNetwork(asked) ? protectionOf(asked)(asked) : asked;
}

/** Returns what to do with a store of another library, or with the client of a database. */
function insteadOf(given: unknown): string {
  const { increment, call } = Object(given) as { readonly increment?: unknown; readonly call?: unknown };
  if (typeof increment === 'function') return ': use storeOf(store) of @sluice/express/store-of';
  return typeof given === 'object' && typeof call === 'function' ? ': use new RedisStore({ client })' : '';
}

/** The author of a store without types may have forgotten it, and would have no deadline. */
function protectionOf({ remote: { protect } }: NetworkStore): NetworkStore['remote']['protect'] {
  if (typeof protect === 'function') return protect;
  throw optionError('store.remote.protect', "must be protectStore of '@sluice/core/store'", protect);
}
