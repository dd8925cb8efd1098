import {
  type Change,
  type ChangeResponse,
  type Clock,
  MemoryStore,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';

/** A store that answers with promises, as one on another machine does, and that a test can make fail. */
export class FragileStore implements Store {
  readonly async = true;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: true };
  isLost = false;
  /** Decisions wait for this. */
  before: Promise<unknown> | undefined;
  readonly #memory: MemoryStore;

  constructor(clock: Clock) {
    this.clock = clock;
    this.#memory = new MemoryStore({ clock });
  }

  get blocks() {
    return this.#memory.blocks;
  }

  async consume(ask: StoreRequest): Promise<StoreResponse> {
    await this.before;
    return this.#answer(() => this.#memory.consume(ask));
  }

  adjust(change: Change): Promise<ChangeResponse> {
    return this.#answer(() => this.#memory.adjust(change));
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#answer(() => this.#memory.reset(targets));
  }

  async close(): Promise<void> {
    this.#memory.close();
  }

  async #answer<T>(answer: () => T): Promise<T> {
    if (this.isLost) throw new Error('the store is lost');
    return answer();
  }
}
