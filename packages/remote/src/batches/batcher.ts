// Why it is so: core/docs/why/calls-to-redis.md

import type { Receiver } from '@sluice/core/src/values/deferred';

/** One request, and who gets its reply. */
export interface Asked<Question, Answer> {
  /** What is asked. */
  readonly question: Question;
  /** Gets the reply, or the error. */
  readonly receiver: Receiver<Answer>;
}

/** How a batch of requests is sent, and how its replies come back. */
interface BatchTransport<Question, Answer, Reply> {
  /** Sends a batch. Calls one of the two functions, once, after this call: with the reply to all of it, or with an error. */
  readonly send: (
    asked: readonly Asked<Question, Answer>[],
    replied: (reply: Reply) => void,
    failed: (error: unknown) => void,
  ) => void;
  /** Gives each request its part of the reply. */
  readonly distribute: (asked: readonly Asked<Question, Answer>[], reply: Reply) => void;
  /** Gives every request of a batch the error. */
  readonly fail: (asked: readonly Asked<Question, Answer>[], error: unknown) => void;
  /** The largest size of a call. A larger request is sent alone. */
  readonly maxSize: number;
  /** Runs `work` when all requests of this turn have been made. */
  readonly defer: (work: () => void) => void;
  /** Called when no request waits for a reply any more. */
  readonly onIdle?: () => void;
}

/** The part of a call's largest size that justifies a second call at the same time: an eighth. */
const WORTH_A_CALL = 8;

/**
 * Sends simultaneous requests in one batch: those of one turn of the event loop, and those that come while a call is on its
 * way. A single request is sent at once. The more requests there are, the less each costs. When as many requests wait as the call
 * on its way has, they follow it, so that the server has work while replies are read here. A full call is always sent.
 * Requests are sent in the order in which they were made.
 *
 * @see DeWitt et al., "Implementation techniques for main memory database systems", 1984: group commit
 */
export class Batcher<Question, Answer, Reply> {
  readonly #transport: BatchTransport<Question, Answer, Reply>;
  #waiting: Asked<Question, Answer>[] = [];
  #size = 0;
  #onTheWay = 0;
  #sizeOnTheWay = 0;
  /** Whether the end of this turn decides about the waiting requests. */
  #isTurnWatched = false;
  #whenIdle: (() => void)[] = [];

  constructor(transport: BatchTransport<Question, Answer, Reply>) {
    this.#transport = transport;
  }

  /**
   * Half of the largest size while no other call is on its way. Two calls with the same content are answered sooner: one is
   * read while the other one is decided.
   */
  #maxSize(): number {
    return this.#onTheWay === 0 ? this.#transport.maxSize / 2 : this.#transport.maxSize;
  }

  /** Whether the waiting requests need not wait for more. */
  #isEnough(): boolean {
    if (this.#onTheWay !== 1) return this.#onTheWay === 0;
    return this.#size >= this.#sizeOnTheWay && this.#size >= this.#transport.maxSize / WORTH_A_CALL;
  }

  /**
   * Adds a request to those that wait for a call.
   *
   * @param size - how much of the size of a call the question takes
   */
  ask(question: Question, size: number, receiver: Receiver<Answer>): void {
    if (this.#waiting.length > 0 && this.#size + size > this.#maxSize()) this.send();
    this.#waiting.push({ question, receiver });
    this.#size += size;
    if (this.#size >= this.#maxSize()) this.send();
    else if (!this.#isTurnWatched) {
      this.#isTurnWatched = true;
      this.#transport.defer(this.#turnEnded);
    }
  }

  /** Sends the waiting requests, and resolves when no request waits for a reply any more. */
  async answered(): Promise<void> {
    this.send();
    if (this.#onTheWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  /** Whether a request that was not sent yet matches. */
  hasWaiting(matches: (question: Question) => boolean): boolean {
    return this.#waiting.some(({ question }) => matches(question));
  }

  /** Sends the waiting requests. */
  send(): void {
    const asked = this.#waiting;
    const size = this.#size;
    if (asked.length === 0) return;
    this.#waiting = [];
    this.#size = 0;
    this.#onTheWay += 1;
    this.#sizeOnTheWay += size;
    try {
      this.#transport.send(
        asked,
        (reply) => this.#end(asked, size, this.#transport.distribute, reply),
        (error) => this.#end(asked, size, this.#transport.fail, error),
      );
    } catch (error) {
      this.#end(asked, size, this.#transport.fail, error);
    }
  }

  /**
   * Ends a batch, and gives its requests the reply or the error. The requests that came meanwhile are sent first, so that the server has
   * work while a reply is read.
   */
  #end<Result>(
    asked: readonly Asked<Question, Answer>[],
    size: number,
    give: (asked: readonly Asked<Question, Answer>[], result: Result) => void,
    result: Result,
  ): void {
    this.#onTheWay -= 1;
    this.#sizeOnTheWay -= size;
    if (this.#waiting.length > 0 && this.#isEnough()) this.send();
    try {
      give(asked, result);
    } catch (error) {
      this.#transport.fail(asked, error);
    }
    if (this.#onTheWay > 0 || this.#waiting.length > 0) return;
    this.#transport.onIdle?.();
    if (this.#whenIdle.length > 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  readonly #turnEnded = (): void => {
    this.#isTurnWatched = false;
    if (this.#isEnough()) this.send();
  };
}
