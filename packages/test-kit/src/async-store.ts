import {
  type Blocks,
  type Change,
  type ChangeResponse,
  MemoryStore,
  type MemoryStoreOptions,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { blocksLater } from './blocks-later.js';
import { closedAfterTest } from './closed-after-test.js';

/** A store in memory that answers by promises. */
export function asyncStore(options: MemoryStoreOptions = {}): Store<true> {
  const memory = new MemoryStore(options);
  return {
    async: true,
    clock: memory.clock,
    supports: memory.supports,
    consume: async (ask) => memory.consume(ask),
    adjust: async (change) => memory.adjust(change),
    reset: async (targets) => memory.reset(targets),
    close: async () => memory.close(),
  };
}

/** The same with blocks, and by default with a clock that the test moves. A test closes it when it ends. */
export class AsyncStore implements Store<true> {
  readonly async = true;
  readonly clock: ManualClock;
  readonly supports = { atomicAcrossKeys: true };
  readonly blocks: Blocks<true>;
  readonly #memory: MemoryStore;

  /** @param ownClock - of the server, where it is not the caller's. */
  constructor(clock = new ManualClock(), ownClock = clock) {
    this.clock = clock;
    this.#memory = closedAfterTest(new MemoryStore({ clock: ownClock }));
    this.blocks = blocksLater(this.#memory.blocks);
  }

  async consume(ask: StoreRequest): Promise<StoreResponse> {
    return this.#memory.consume(ask);
  }

  async adjust(change: Change): Promise<ChangeResponse> {
    return this.#memory.adjust(change);
  }

  async reset(targets: readonly Target[]): Promise<number> {
    return this.#memory.reset(targets);
  }

  async close(): Promise<void> {
    this.#memory.close();
  }
}
