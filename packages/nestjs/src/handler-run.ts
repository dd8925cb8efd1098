// Why it is so: core/docs/why/ends-of-requests.md

import { isPromise } from '@sluice/core/values';

/**
 * One run of a handler. An interceptor, or a socket whose client leaves, may give up on it. Its promise then continues.
 */
export class HandlerRun {
  readonly #end: () => void;
  #hasBegun = false;
  #isSettled: boolean;
  #isAbandoned = false;

  /**
   * @param end - called when the handler has ended; further calls do nothing
   * @param isStream - whether the handler returns a stream, so that giving up ends it
   */
  constructor(end: () => void, isStream: boolean) {
    this.#end = end;
    this.#isSettled = isStream;
  }

  /** Calls the handler, and follows its promise even if somebody gives up on it. */
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
    // Some libraries run a query again whenever its `then` is called.
    const promise = Promise.resolve(result);
    const settled = (): void => this.settled();
    promise.then(settled, settled);
    return promise;
  }

  /** The handler is done. Its stream, if there is one, may continue until somebody gives up on it. */
  settled(): void {
    this.#isSettled = true;
    if (this.#isAbandoned) this.#end();
  }

  /** Nobody waits any more for the handler or its stream. */
  abandon(): void {
    this.#isAbandoned = true;
    if (this.#isSettled) this.#end();
  }
}
