import type { StoreSetup } from './tape.js';

/**
 * Returns the longest lease of a store, in milliseconds; 0 if it leases nothing. States in the store behind it last longer by
 * the lease: "the shared store is asked by a window that is longer by the lease" (packages/core/docs/leasing.md).
 */
export function longestLeaseMs(store: StoreSetup): number {
  if (store.kind === 'sharded') return Math.max(...store.nodes.map(longestLeaseMs));
  return store.kind === 'leased' ? store.leaseMs : 0;
}
