import type { Clock } from '@sluice/core';

/** Lets a loop sleep until the next poll, or until somebody rings. A ring is never lost. */
export class WakeUp {
  #isRung = false;
  #sleep: AbortController | undefined;

  ring(): void {
    this.#isRung = true;
    this.#sleep?.abort();
  }

  /** Returns false if the signal aborts. */
  async next(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isRung && !signal.aborted) {
      const sleep = new AbortController();
      this.#sleep = sleep;
      await clock.sleep(ms, AbortSignal.any([signal, sleep.signal]), { unref: true }).catch(() => {});
      this.#sleep = undefined;
    }
    this.#isRung = false;
    return !signal.aborted;
  }
}
