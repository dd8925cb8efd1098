import {
  type Blocks,
  type Change,
  type ChangeResponse,
  MemoryStore,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { blocksLater } from '../stores/blocks-later.js';

/** A memory store that returns promises, like a store over a network. */
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
