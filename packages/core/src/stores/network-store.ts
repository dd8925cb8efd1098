import { randomFraction } from '../values/random.js';
import type { Store } from './store.js';

/** A store that is asked over a network. */
export type NetworkStore = Store<true> & { readonly remote: NonNullable<Store['remote']> };

export function isOverNetwork(store: Store): store is NetworkStore {
  return store.async && store.remote !== undefined;
}

/**
 * Returns a function that draws a number from 0 to below 1. By it, a wait of this instance is shorter than that of others, so that they do
 * not all ask a server in one moment: after a deploy, or when the server has come back for all of them. An instance that is alone does not
 * spread its waits: it draws 0.
 */
export function spreadOf({ instances, random }: Pick<NetworkStore['remote'], 'instances' | 'random'>): () => number {
  return instances < 2 ? () => 0 : (random ?? randomFraction);
}
