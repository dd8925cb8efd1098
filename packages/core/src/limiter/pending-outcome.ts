import type { Ask, Check, Reply } from '../stores/store.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import type { Receiver } from '../values/receiver.js';
import type { StoreOutcome } from './fallback.js';

/** Makes the outcome of an ask from what the store has answered. */
export interface OutcomeMaker {
  /** The outcome of a reply. */
  granted(ask: Ask, checks: readonly Check[], reply: Reply): Eventual<StoreOutcome>;
  /**
   * The outcome in place of a failed store.
   *
   * @throws a mistake of the program
   */
  failed(ask: Ask, checks: readonly Check[], error: unknown): StoreOutcome;
}

/** An ask whose reply is on its way, and the promise of what `next` makes of its outcome. */
export class PendingOutcome<D> implements Receiver<Reply> {
  readonly #maker: OutcomeMaker;
  readonly #ask: Ask;
  readonly #checks: readonly Check[];
  readonly #next: (outcome: StoreOutcome) => D;
  #resolve: ((result: Eventual<D>) => void) | undefined;
  /** The result, if it was there before somebody wanted the promise. */
  #early: Promise<D> | undefined;

  constructor(maker: OutcomeMaker, ask: Ask, checks: readonly Check[], next: (outcome: StoreOutcome) => D) {
    this.#maker = maker;
    this.#ask = ask;
    this.#checks = checks;
    this.#next = next;
  }

  /** Returns the promise of the result. Call it once. */
  promise(): Promise<D> {
    if (this.#early) return this.#early;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  resolve(reply: Reply): void {
    try {
      this.#settle(whenReady(this.#maker.granted(this.#ask, this.#checks, reply), this.#next));
    } catch (error) {
      this.#settle(Promise.reject(error));
    }
  }

  reject(error: unknown): void {
    try {
      this.#settle(this.#next(this.#maker.failed(this.#ask, this.#checks, error)));
    } catch (mistake) {
      this.#settle(Promise.reject(mistake));
    }
  }

  #settle(result: Eventual<D>): void {
    if (this.#resolve) this.#resolve(result);
    else this.#early = Promise.resolve(result);
  }
}
