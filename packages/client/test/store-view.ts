import type {
  Blocks,
  Change,
  ChangeResponse,
  MemoryStore,
  Store,
  StoreRequest,
  StoreResponse,
  Target,
} from '@sluice/core';
import type { ManualClock } from '@sluice/core/testing';

/** A store of one process in front of a memory that several share, as if the memory were a server. */
export class StoreView implements Store<true> {
  readonly async = true;
  readonly supports = { atomicAcrossKeys: true };
  readonly blocks: Blocks<true>;
  /** How often the memory was asked. */
  asks = 0;
  readonly clock: ManualClock;
  readonly #memory: MemoryStore;

  constructor(memory: MemoryStore, clock: ManualClock) {
    this.#memory = memory;
    this.clock = clock;
    const { blocks } = memory;
    this.blocks = {
      block: async (order) => blocks.block(order),
      unblock: async (targets) => blocks.unblock(targets),
      find: async (targets) => blocks.find(targets),
      list: async (policy, range) => blocks.list(policy, range),
    };
  }

  async consume(ask: StoreRequest): Promise<StoreResponse> {
    this.asks += 1;
    return this.#memory.consume(ask);
  }

  async adjust(change: Change): Promise<ChangeResponse> {
    this.asks += 1;
    return this.#memory.adjust(change);
  }

  async reset(targets: readonly Target[]): Promise<number> {
    return this.#memory.reset(targets);
  }

  async close(): Promise<void> {}
}
