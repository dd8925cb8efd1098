import type { Store } from './store.js';

/** A store that is asked over a network. */
export type NetworkStore = Store<true> & { readonly remote: NonNullable<Store['remote']> };

export function isOverNetwork(store: Store): store is NetworkStore {
  return store.async && store.remote !== undefined;
}
