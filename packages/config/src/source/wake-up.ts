import { once } from 'node:events';
import type { Clock } from '@sluice/core';

/** Lets a loop sleep until the next poll, or until somebody rings. A ring is never lost. */
export class WakeUp {
  #isRung = false;
  #sleep: AbortController | undefined;

  ring(): void {
    this.#isRung = true;
    this.#sleep?.abort();
  }

  /** @param ms - may be Infinity. Returns false if the signal aborts. */
  async next(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isRung && !signal.aborted) {
      const sleep = new AbortController();
      this.#sleep = sleep;
      await sleepOrForever(clock, ms, AbortSignal.any([signal, sleep.signal]));
      this.#sleep = undefined;
    }
    this.#isRung = false;
    return !signal.aborted;
  }
}

async function sleepOrForever(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === Number.POSITIVE_INFINITY) return once(signal, 'abort').then(() => {});
  await clock.sleep(ms, signal, { unref: true }).catch(() => {});
}
