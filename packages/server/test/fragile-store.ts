import { type Clock, MemoryStore, type Store } from '@sluice/core';
import type { Answer, Ask, Change, ChangeReply, Reply, Target } from '@sluice/core/store';

/** A store that answers with promises, as one on another machine does, and that a test can make fail. */
export class FragileStore implements Store {
  readonly async = true;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: true };
  isLost = false;
  readonly #memory: MemoryStore;

  constructor(clock: Clock) {
    this.clock = clock;
    this.#memory = new MemoryStore({ clock });
  }

  get blocks() {
    return this.#memory.blocks;
  }

  consume(ask: Ask): Answer<Reply> {
    return this.#answer(() => this.#memory.consume(ask));
  }

  adjust(change: Change): Answer<ChangeReply> {
    return this.#answer(() => this.#memory.adjust(change));
  }

  reset(targets: readonly Target[]): Answer<number> {
    return this.#answer(() => this.#memory.reset(targets));
  }

  close(): Answer<void> {
    return this.#memory.close();
  }

  async #answer<T>(answer: () => T): Promise<T> {
    if (this.isLost) throw new Error('the store is lost');
    return answer();
  }
}
