import { boundOf, createLimiter, type Limiter, type Store, slidingWindow } from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';

/** What all nodes together may admit. */
const LIMIT = slidingWindow({ limit: 100, window: '1m' });

/** A thread synchronized every five seconds, and a node had to ask after a tenth of the limit. */
const SYNC = { sync: '5s', slice: 10 } as const;

/** The same in each node: it counts here, and asks Redis when ten units are not reported yet. */
export const synced = (redis: Store<true>): SyncedStore => new SyncedStore({ store: redis, ...SYNC });

/** What never passes the limit: a node takes slices of it. */
export const leased = (redis: Store<true>): LeasedStore => new LeasedStore({ store: redis, lease: '5s' });

/** The limiter of a node. */
export function createNode(store: SyncedStore | LeasedStore): Limiter<string, true> {
  return createLimiter({ name: 'global', limit: LIMIT, onStoreError: 'deny', store });
}

/** The most that so many nodes with synchronized counters admit in any 55 seconds. */
export const mostOf = (nodes: number): number =>
  boundOf(LIMIT, '55s', { ...SYNC, instances: nodes, onStoreError: 'deny' });
