import {
  type Answer,
  type Blocks,
  type Change,
  type ChangeResponse,
  type Clock,
  MemoryStore,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';

/** A memory store that is synchronous or asynchronous, and that a test can make fail. */
export class FragileStore implements Store {
  readonly async: boolean;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: true };
  /** The error of every call; undefined while the store works. */
  failure: Error | undefined;
  /** How many requests it got, without peeks. */
  asked = 0;
  readonly blocks: Blocks;
  readonly memory: MemoryStore;

  constructor(clock: Clock, isAsync: boolean) {
    this.clock = clock;
    this.async = isAsync;
    this.memory = new MemoryStore({ clock });
    const { blocks } = this.memory;
    this.blocks = {
      block: (order) => this.#answer(() => blocks.block(order)),
      unblock: (targets) => this.#answer(() => blocks.unblock(targets)),
      find: (targets) => this.#answer(() => blocks.find(targets)),
      list: (policy, range) => this.#answer(() => blocks.list(policy, range)),
    };
  }

  consume(request: StoreRequest): Answer<StoreResponse> {
    if (!request.peek) this.asked += 1;
    return this.#answer(() => this.memory.consume(request));
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
