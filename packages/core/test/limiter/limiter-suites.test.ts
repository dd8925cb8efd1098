import { MemoryStore, type Store } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { compareAndSwapStore } from '@sluice/core/store';
import {
  limiterSuites,
  OVER_EVERYTHING,
  OVER_LEASES,
  OVER_SEVERAL_SERVERS,
  OVER_SYNCED,
} from '@sluice/test-kit/limiter-suites';
import { MapBackend } from '../../../remote/test/compare-and-swap/map-backend.js';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';
import { type Clock, systemClock } from '../../src/values/clock.js';

const twice = (store: Store): readonly [Store, Store] => [store, store];
const remote = (clock: Clock = systemClock): RemoteMemory => new RemoteMemory(clock, 20_000);
const sharded = (clock?: Clock): ShardedStore =>
  new ShardedStore({ nodes: Object.fromEntries(['a', 'b', 'c', 'd'].map((node) => [node, remote(clock)])) });

limiterSuites('a memory store', async (clock) => twice(new MemoryStore({ ...(clock && { clock }) })), OVER_EVERYTHING);
limiterSuites('a store behind a network', async (clock) => twice(remote(clock)), OVER_EVERYTHING);
limiterSuites(
  'a sharded store, whose nodes decide one after the other',
  async (clock) => twice(sharded(clock)),
  OVER_SEVERAL_SERVERS,
);
limiterSuites(
  'two stores that compare and swap',
  async (clock) => {
    const backend = new MapBackend();
    const options = { timeout: '20s', ...(clock && { clock }) } as const;
    return [compareAndSwapStore(backend, options), compareAndSwapStore(backend, options)];
  },
  OVER_EVERYTHING,
);
limiterSuites(
  'a leased store',
  async (clock) => twice(new LeasedStore({ busyFrom: 1, store: remote(clock) })),
  OVER_LEASES,
);
limiterSuites('a synced store', async (clock) => twice(new SyncedStore({ busyFrom: 1, store: remote(clock) })), {
  ...OVER_SYNCED,
  seenAtOnce: true, // there is one instance
});
limiterSuites(
  'a leased store over a sharded one',
  async (clock) => twice(new LeasedStore({ busyFrom: 1, store: sharded(clock) })),
  OVER_LEASES,
);
