import { expect, it } from '@jest/globals';
import type { Store } from '@sluice/core';
import * as core from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { compareAndSwapStore } from '@sluice/core/store';
import { limitItems } from '../../src/fleet/policies.js';
import { generateTape } from '../../src/search/generate.js';
import type { StoreSetup } from '../../src/tape/tape.js';

const emptyTable = () => ({
  read: async () => ({ entries: [], nowMs: 0 }),
  swap: async () => true,
  delete: async () => 0,
});

const front = (setup: StoreSetup): Store<true> => made(setup) as Store<true>;

function made(setup: StoreSetup): Store {
  switch (setup.kind) {
    case 'memory':
      return new core.MemoryStore();
    case 'sharded':
      return new ShardedStore({ nodes: Object.fromEntries(setup.nodes.map((node, i) => [`n${i}`, front(node)])) });
    case 'leased':
      return new LeasedStore({ store: front(setup.of), lease: setup.leaseMs });
    case 'synced':
      return new SyncedStore({ store: front(setup.of), sync: setup.syncMs, slice: setup.slice });
    default:
      return compareAndSwapStore(emptyTable(), { timeout: setup.timeoutMs, instances: setup.instances });
  }
}

it('draws stores that can be made, and policies that they can count', () => {
  for (let seed = 1; seed <= 1000; seed += 1) {
    const { setup } = generateTape(seed);
    for (const { name, onStoreError, variants } of setup.policies) {
      for (const limits of variants) {
        const options = { name, onStoreError, limits: limitItems(core, limits), store: made(setup.store) };
        const failure = thrownBy(() => core.createLimiter(options));
        expect([seed, limits, setup.store, failure]).toEqual([seed, limits, setup.store, undefined]);
      }
    }
  }
});

function thrownBy(make: () => unknown): string | undefined {
  try {
    make();
    return undefined;
  } catch (error) {
    return String(error);
  }
}
