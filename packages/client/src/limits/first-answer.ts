import type { Clock } from '@sluice/core';

/** The others wait at most this long. */
const LONGEST_WAIT_MS = 1000;

/** Why a sleep ends that nobody needs any more. */
const OVER = 'the first answer is there';

/** Ends the wait for the first answer: for all of them, or with another that goes first. */
export type EndOfFirst = (isOver: boolean) => void;

/**
 * Lets one request go first where nothing is known of a server, so that its answer tells the limits to the others.
 */
export class FirstAnswer {
  readonly #clock: Clock;
  #answer: Promise<void> | undefined;
  #isThere = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves with a function that ends the wait of the others, for the request that goes first. If it was never sent, or
   * was aborted, one of the others goes first.
   */
  async turn(maxWaitMs: number, signal: AbortSignal | undefined): Promise<EndOfFirst | undefined> {
    const endMs = this.#clock.now() + Math.min(LONGEST_WAIT_MS, maxWaitMs);
    while (!this.#isThere) {
      if (!this.#answer) return this.#lead();
      const leftMs = endMs - this.#clock.now();
      if (leftMs <= 0) return undefined;
      await this.#wait(this.#answer, leftMs, signal);
    }
    return undefined;
  }

  async #wait(answer: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    try {
      await Promise.race([answer, this.#clock.sleep(ms, ended)]);
    } finally {
      over.abort(OVER);
    }
  }

  #lead(): EndOfFirst {
    let resolve = (): void => {};
    this.#answer = new Promise((answered) => {
      resolve = answered;
    });
    return (isOver) => {
      this.#isThere ||= isOver;
      this.#answer = undefined;
      resolve();
    };
  }
}
