import type { Change, ChangeResponse, Store, StoreRequest, StoreResponse, Target } from '@sluice/core';

/** A store that knows whether it is asked something, answering by promises. */
export class CountingStore implements Store<true> {
  readonly async = true;
  readonly clock: Store['clock'];
  readonly supports: Store['supports'];
  readonly #store: Store;
  #calls = 0;

  constructor(store: Store) {
    this.#store = store;
    this.clock = store.clock;
    this.supports = store.supports;
  }

  get isBusy(): boolean {
    return this.#calls > 0;
  }

  consume(ask: StoreRequest): Promise<StoreResponse> {
    return this.#counted(() => this.#store.consume(ask));
  }

  adjust(change: Change): Promise<ChangeResponse> {
    return this.#counted(() => this.#store.adjust(change));
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#counted(() => this.#store.reset(targets));
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  async #counted<T>(call: () => T | PromiseLike<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await call();
    } finally {
      this.#calls -= 1;
    }
  }
}
