import { chargeSuite } from '@sluice/test-kit/charge-suite';
import { operationSuite } from '@sluice/test-kit/operation-suite';
import { MemoryStore, ShardedStore, type Store } from '../../src/index.js';
import { systemClock } from '../../src/values/clock.js';
import { RemoteMemory } from '../stores/remote/remote-memory.js';

const twice = (store: Store): readonly [Store, Store] => [store, store];
const remote = (): RemoteMemory => new RemoteMemory(systemClock, 10_000);

for (const suite of [operationSuite, chargeSuite]) {
  suite('a memory store', async () => twice(new MemoryStore()));
  suite('a store behind a network', async () => twice(remote()));
  suite('a sharded store, whose nodes decide one after the other', async () => {
    const nodes = Object.fromEntries(['a', 'b', 'c', 'd'].map((node) => [node, remote()]));
    return twice(new ShardedStore({ nodes }));
  });
}
