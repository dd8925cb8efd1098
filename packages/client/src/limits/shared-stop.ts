import type { Clock, Key, Limiter } from '@sluice/core';
import type { Patience } from '../engine/outgoing-limiter.js';
import { refusedCall } from './refused-call.js';

/** The longest block that a store takes: 100 years. */
const LONGEST_BLOCK_MS = 3_155_760_000_000;

/** The part of a limiter that stops and starts all processes. */
export type Blocking = Pick<Limiter, 'block' | 'unblock'>;

/** Stops all processes that use one key. If the store cannot take the block, at least this process stops. */
export class SharedStop {
  readonly #limiter: Blocking;
  readonly #clock: Clock;
  readonly #key: Key;
  #untilMs = 0;

  constructor(limiter: Blocking, clock: Clock, key: Key) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#key = key;
  }

  /** Never rejects. */
  async begin(ms: number): Promise<void> {
    const forMs = Math.min(LONGEST_BLOCK_MS, Math.ceil(ms));
    try {
      await this.#limiter.block(this.#key, forMs);
    } catch {
      this.#untilMs = Math.max(this.#untilMs, this.#clock.now() + forMs);
    }
  }

  /**
   * Lets everybody go on. Returns whether anybody was stopped.
   *
   * @throws the error of the store
   */
  async end(): Promise<boolean> {
    const wasStopped = this.#untilMs > this.#clock.now();
    this.#untilMs = 0;
    return (await this.#limiter.unblock(this.#key)) || wasStopped;
  }

  /**
   * Waits for the end of a stop that the store does not know. Returns how much of the longest wait is left.
   *
   * @throws SluiceError `SLUICE_REFUSED` if it lasts longer; the reason of the signal
   */
  async wait({ signal, maxWaitMs }: Patience): Promise<number> {
    let leftMs = maxWaitMs;
    for (;;) {
      const stopMs = this.#untilMs - this.#clock.now();
      if (stopMs <= 0) return leftMs;
      if (stopMs > leftMs) throw refusedCall(stopMs);
      await this.#clock.sleep(stopMs, signal);
      leftMs -= stopMs;
      // Another answer may have asked for a longer stop meanwhile.
    }
  }
}
