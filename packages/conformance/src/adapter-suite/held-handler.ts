import type { AdapterAnswer, AdapterRequest } from './adapter-app.js';
import { OK } from './adapter-fixture.js';

/** A handler that holds every request until you release it. */
export class HeldHandler {
  readonly #waiting: ((answer: AdapterAnswer | Promise<AdapterAnswer>) => void)[] = [];
  readonly #watchers: { readonly count: number; readonly resolve: () => void }[] = [];

  readonly handle = (_request: AdapterRequest): Promise<AdapterAnswer> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve);
      for (const { count, resolve: notify } of this.#watchers) if (this.#waiting.length >= count) notify();
    });

  /** Resolves when this many requests are held. */
  holds(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.length >= count) resolve();
      else this.#watchers.push({ count, resolve });
    });
  }

  /** Releases the first of them with this response. A promise that rejects is an error of the handler. */
  release(answer: AdapterAnswer | Promise<AdapterAnswer> = OK): void {
    this.#waiting.shift()?.(answer);
  }
}
