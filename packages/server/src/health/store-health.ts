import { type Store, storeMetrics, subscribe } from '@sluice/core';
import { reasonOf } from '@sluice/core/values';

/** Knows whether the store decides, or something else in its place. */
export class StoreHealth {
  readonly #store: Store;
  readonly #name: string;
  readonly #startError: () => unknown;
  readonly #stop: () => void;
  #lastError: unknown;

  /** @param startError - why the store could not be used at the start, as long as it cannot */
  constructor(store: Store, startError: () => unknown = () => undefined) {
    this.#store = store;
    this.#startError = startError;
    this.#name = store.name ?? 'store';
    // It is published for failed calls alone, so it costs nothing while all is well.
    this.#stop = subscribe('sluice:store-error', ({ error }) => {
      this.#lastError = error;
    });
  }

  /** Why decisions are not those of the store now: at most one reason. */
  get troubles(): readonly string[] {
    const trouble = this.#store.remote?.trouble?.() ?? this.#brokenBy ?? this.#unusedBy;
    return trouble === undefined ? [] : [`${this.#name}: ${trouble}`];
  }

  close(): void {
    this.#stop();
  }

  get #unusedBy(): string | undefined {
    const error = this.#startError();
    return error === undefined ? undefined : reasonOf(error);
  }

  get #brokenBy(): string | undefined {
    const breaker = storeMetrics().find(({ store }) => store === this.#name)?.breaker;
    if (breaker === undefined || breaker === 'closed') return undefined;
    return this.#lastError === undefined ? 'it does not answer' : reasonOf(this.#lastError);
  }
}
