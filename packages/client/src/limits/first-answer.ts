import type { Clock } from '@sluice/core';

/** The others wait at most this long. */
const LONGEST_WAIT_MS = 1000;

/** Why a sleep ends that nobody needs any more. */
const OVER = 'the first answer is there';

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

  /** Resolves with a function that lets the others go, for the request that goes first. The others wait for it. */
  async turn(maxWaitMs: number, signal: AbortSignal | undefined): Promise<(() => void) | undefined> {
    if (this.#isThere) return undefined;
    if (!this.#answer) return this.#lead();
    const over = new AbortController();
    const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    try {
      await Promise.race([this.#answer, this.#clock.sleep(Math.min(LONGEST_WAIT_MS, maxWaitMs), ended)]);
    } finally {
      over.abort(OVER);
    }
    return undefined;
  }

  #lead(): () => void {
    let resolve = (): void => {};
    this.#answer = new Promise((answered) => {
      resolve = answered;
    });
    return () => {
      this.#isThere = true;
      resolve();
    };
  }
}
