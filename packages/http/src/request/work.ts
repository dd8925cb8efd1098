// Why it is so: core/docs/why/ends-of-requests.md

/**
 * The work of a request: its handler, if the framework reports when it ends, and the promises that handlers have named.
 * The slots of a request are kept until all of it has ended, even if the client left long before.
 */
export class Work {
  #underWay = 0;
  #waiting: (() => void)[] = [];
  #onAnswer: ((notify: () => void) => void) | undefined;
  #hasHandlerBegun = false;
  /** Ends the wait for a handler that has not begun. */
  #handlerIsHere: (() => void) | undefined;

  /** Begins a piece of work. Returns the function to call when it has ended. Further calls of it do nothing. */
  begin(): () => void {
    let isUnderWay = true;
    this.#underWay += 1;
    return () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      this.#underWay -= 1;
      if (this.#underWay > 0) return;
      for (const notify of this.#waiting.splice(0)) notify();
    };
  }

  /**
   * Announces that the handler will report when it begins and ends, if it runs.
   *
   * @param onAnswer - calls its argument when somebody responds to the request; a handler that has not begun then will
   * not run
   */
  expectHandler(onAnswer: (notify: () => void) => void): void {
    this.#onAnswer ??= onAnswer;
  }

  /** Begins the handler. Returns the function to call when it has ended. */
  beginHandler(): () => void {
    const end = this.begin();
    this.#hasHandlerBegun = true;
    this.#handlerIsHere?.();
    return end;
  }

  /**
   * Resolves when all work has ended; undefined if there is none.
   *
   * @param hasClientLeft - frameworks also run the handler of a client that has left before
   */
  ended(hasClientLeft: boolean): Promise<void> | undefined {
    if (hasClientLeft && this.#onAnswer && !this.#hasHandlerBegun && !this.#handlerIsHere) {
      this.#handlerIsHere = this.begin();
      this.#onAnswer(this.#handlerIsHere);
    }
    if (this.#underWay === 0) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
