/** One run of a handler, on which an interceptor, or a socket whose client leaves, may give up. Then its promise goes on. */
export class HandlerRun {
  readonly #end: () => void;
  #hasBegun = false;
  #isSettled: boolean;
  #isGivenUp = false;

  /**
   * @param end - to be called when the handler has ended; called again, it does nothing.
   * @param isStream - whether the handler answers by a stream, so that giving up ends it.
   */
  constructor(end: () => void, isStream: boolean) {
    this.#end = end;
    this.#isSettled = isStream;
  }

  /** Calls the handler, and follows the promise that it gives, whoever has given up on it. */
  follow(handle: () => unknown): unknown {
    // The handler may call itself.
    if (this.#hasBegun) return handle();
    this.#hasBegun = true;
    this.#isSettled = false;
    let result: unknown;
    try {
      result = handle();
    } catch (error) {
      this.settled();
      throw error;
    }
    if (!isPromise(result)) {
      this.settled();
      return result;
    }
    // Some libraries run a query anew whenever its `then` is called.
    const promise = Promise.resolve(result);
    const settled = (): void => this.settled();
    promise.then(settled, settled);
    return promise;
  }

  /** The handler is done; its stream, if it gave one, may go on until somebody gives up on that. */
  settled(): void {
    this.#isSettled = true;
    if (this.#isGivenUp) this.#end();
  }

  /** Nobody waits for the handler any more, or for its stream. */
  giveUp(): void {
    this.#isGivenUp = true;
    if (this.#isSettled) this.#end();
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
