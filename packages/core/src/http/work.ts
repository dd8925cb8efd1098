/**
 * What goes on for a request: its handler, where the framework tells of it, and the promises that handlers have named.
 * The slots of a request are kept until all of it has ended, also when its client has left long before.
 */
export class Work {
  #underWay = 0;
  #waiting: (() => void)[] = [];
  #onAnswer: ((tell: () => void) => void) | undefined;
  #hasHandlerBegun = false;
  /** Ends the wait for a handler that has not begun. */
  #handlerIsHere: (() => void) | undefined;

  /** Something begins. Returns the function to call when it has ended; called again, that does nothing. */
  begin(): () => void {
    let isUnderWay = true;
    this.#underWay += 1;
    return () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      this.#underWay -= 1;
      if (this.#underWay > 0) return;
      for (const tell of this.#waiting.splice(0)) tell();
    };
  }

  /**
   * Says that the handler will tell of its beginning and its end, if it is run at all.
   *
   * @param onAnswer - tells when somebody answers the request: then a handler that has not begun will not be run.
   */
  expectHandler(onAnswer: (tell: () => void) => void): void {
    this.#onAnswer ??= onAnswer;
  }

  /** The handler begins. Returns the function to call when it has ended. */
  beginHandler(): () => void {
    const end = this.begin();
    this.#hasHandlerBegun = true;
    this.#handlerIsHere?.();
    return end;
  }

  /**
   * Resolves when nothing is under way any more; undefined if nothing is.
   *
   * @param hasClientLeft - frameworks run the handler of a client that has left before it, too.
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
