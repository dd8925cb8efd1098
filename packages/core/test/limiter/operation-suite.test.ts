import { operationSuite } from '@sluice/test-kit/operation-suite';
import { MemoryStore, ShardedStore } from '../../src/index.js';
import { systemClock } from '../../src/values/clock.js';
import { RemoteMemory } from '../stores/remote/remote-memory.js';

operationSuite('a memory store', async () => {
  const store = new MemoryStore();
  return [store, store];
});

operationSuite('a store behind a network', async () => {
  const store = new RemoteMemory(systemClock, 10_000);
  return [store, store];
});

operationSuite('a sharded store, whose nodes decide one after the other', async () => {
  const nodes = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, new RemoteMemory(systemClock, 10_000)]));
  const store = new ShardedStore({ nodes });
  return [store, store];
});
