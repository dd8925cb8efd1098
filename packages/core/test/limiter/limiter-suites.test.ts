import {
  limiterSuites,
  OVER_EVERYTHING,
  OVER_LEASES,
  OVER_SEVERAL_SERVERS,
  OVER_SYNCED,
} from '@sluice/test-kit/limiter-suites';
import { LeasedStore, MemoryStore, ShardedStore, type Store, SyncedStore } from '../../src/index.js';
import { compareAndSwapStore } from '../../src/stores/index.js';
import { systemClock } from '../../src/values/clock.js';
import { MapBackend } from '../stores/compare-and-swap/map-backend.js';
import { RemoteMemory } from '../stores/remote/remote-memory.js';

const twice = (store: Store): readonly [Store, Store] => [store, store];
const remote = (): RemoteMemory => new RemoteMemory(systemClock, 10_000);
const sharded = (): ShardedStore =>
  new ShardedStore({ nodes: Object.fromEntries(['a', 'b', 'c', 'd'].map((node) => [node, remote()])) });

limiterSuites('a memory store', async () => twice(new MemoryStore()), OVER_EVERYTHING);
limiterSuites('a store behind a network', async () => twice(remote()), OVER_EVERYTHING);
limiterSuites(
  'a sharded store, whose nodes decide one after the other',
  async () => twice(sharded()),
  OVER_SEVERAL_SERVERS,
);
limiterSuites(
  'two stores that compare and swap',
  async () => {
    const backend = new MapBackend();
    return [compareAndSwapStore(backend, { timeout: '10s' }), compareAndSwapStore(backend, { timeout: '10s' })];
  },
  OVER_EVERYTHING,
);
limiterSuites('a leased store', async () => twice(new LeasedStore({ store: remote() })), OVER_LEASES);
limiterSuites('a synced store', async () => twice(new SyncedStore({ store: remote() })), OVER_SYNCED);
limiterSuites(
  'a leased store over a sharded one',
  async () => twice(new LeasedStore({ store: sharded() })),
  OVER_LEASES,
);
