import {
  type Answer,
  type Blocks,
  type Change,
  type ChangeResponse,
  MemoryStore,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';
import { protectStore } from '@sluice/core/store';
import { ManualClock } from '../../src/testing/manual-clock.js';

/** How a store fails: it throws like a broken store, or rejects like a lost connection. */
export type Failing = 'by throwing' | 'by rejecting';

/** A store that the test switches off and on. The test also sets how many instances share it. */
export class FragileStore implements Store {
  readonly async: boolean;
  readonly clock: ManualClock;
  readonly supports = { atomicAcrossKeys: true };
  readonly remote: NonNullable<Store['remote']>;
  readonly memory: MemoryStore;
  readonly blocks: Blocks;
  /** The error of every call; undefined while the store works. */
  failure: Error | undefined;

  constructor(failing: Failing, instances = 1, clock = new ManualClock()) {
    this.async = failing === 'by rejecting';
    this.clock = clock;
    this.remote = { timeoutMs: 10_000, instances, protect: protectStore };
    this.memory = new MemoryStore({ clock });
    const { blocks } = this.memory;
    this.blocks = {
      block: (order) => this.#answer(() => blocks.block(order)),
      unblock: (targets) => this.#answer(() => blocks.unblock(targets)),
      find: (targets) => this.#answer(() => blocks.find(targets)),
      list: (policy, range) => this.#answer(() => blocks.list(policy, range)),
    };
  }

  consume(ask: StoreRequest): Answer<StoreResponse> {
    return this.#answer(() => this.memory.consume(ask));
  }

  adjust(change: Change): Answer<ChangeResponse> {
    return this.#answer(() => this.memory.adjust(change));
  }

  reset(targets: readonly Target[]): Answer<number> {
    return this.#answer(() => this.memory.reset(targets));
  }

  close(): Answer<void> {
    return this.#answer(() => this.memory.close());
  }

  #answer<T>(answer: () => T): Answer<T> {
    const attempt = (): T => {
      if (this.failure) throw this.failure;
      return answer();
    };
    return this.async ? (async () => attempt())() : attempt();
  }
}
