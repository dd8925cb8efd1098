import type { Clock } from '@sluice/core';

interface Sleep {
  readonly wakesAtMs: number;
  readonly wake: () => void;
}

/** The clock of a run. It stands still until the run moves it from one event to the next. */
export class EventClock implements Clock {
  #nowMs: number;
  /** In the order in which they end. */
  #sleeps: Sleep[] = [];

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (ms <= 0) return resolve();
      const leave = (): void => {
        this.#sleeps = this.#sleeps.filter((other) => other !== sleep);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const sleep: Sleep = { wakesAtMs: this.#nowMs + ms, wake };
      signal?.addEventListener('abort', leave, { once: true });
      const index = this.#sleeps.findIndex(({ wakesAtMs }) => wakesAtMs > sleep.wakesAtMs);
      this.#sleeps.splice(index < 0 ? this.#sleeps.length : index, 0, sleep);
    });
  }

  /** When the next sleep ends; Infinity if nothing sleeps. */
  get nextMs(): number {
    return this.#sleeps[0]?.wakesAtMs ?? Number.POSITIVE_INFINITY;
  }

  /** Moves time forward, to the end of the next sleep at most, and wakes what is due. */
  moveTo(nowMs: number): void {
    this.#nowMs = nowMs;
    while (this.nextMs <= nowMs) this.#sleeps.shift()?.wake();
  }
}

/** Resolves when everything that was woken has run. */
export const settled: () => Promise<void> =
  typeof setImmediate === 'function'
    ? () => new Promise((resolve) => void setImmediate(resolve))
    : () =>
        new Promise((resolve) => {
          // A timer of a browser takes four milliseconds, and a message takes none.
          const { port1, port2 } = new MessageChannel();
          const arrive = (): void => {
            port1.close();
            resolve();
          };
          port1.addEventListener('message', arrive, { once: true });
          port1.start();
          port2.postMessage(undefined);
        });
