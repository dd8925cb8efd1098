import type { Clock } from '@sluice/core';
import type { Aimd } from '@sluice/core/load';

/** What an outcome says about the server. `'nothing'`: it says nothing, like a request that its caller has ended. */
export type Sample = 'success' | 'failure' | 'nothing';

/** The longest time for which the slot of a failed request stays taken. */
const LONGEST_REST_MS = 1000;

/** What a slot tells those who gave it. */
interface SlotHost {
  readonly timeoutMs: number;
  sent(slot: AdaptiveSlot): void;
  inFlight(): number;
  changed(): void;
  freed(slot: AdaptiveSlot): void;
}

/**
 * The right to have one request under way. What becomes of it decides how many others have one.
 *
 * The slot of a request that fails is free again when a success would have taken as long. A server that fails at once would
 * otherwise get, and fail, more requests than one that works.
 */
export class AdaptiveSlot {
  readonly #clock: Clock;
  readonly #aimd: Aimd;
  readonly #host: SlotHost;
  #round = 0;
  #sentMs = 0;
  /** Until when it stays taken. */
  #restsUntilMs = 0;
  #isEnded = false;

  constructor(clock: Clock, aimd: Aimd, host: SlotHost) {
    this.#clock = clock;
    this.#aimd = aimd;
    this.#host = host;
  }

  /** When its request was sent. */
  get sentMs(): number {
    return this.#sentMs;
  }

  /** Call it when the request is sent. */
  sent(): void {
    this.#round = this.#aimd.round;
    this.#sentMs = this.#clock.now();
    this.#host.sent(this);
  }

  /**
   * Call it when the head of the answer is there, or an error in its place. How long the caller takes for the body is not
   * the server's time.
   */
  answered(sample: Sample): void {
    const nowMs = this.#clock.now();
    const durationMs = nowMs - this.#sentMs;
    const isLate = durationMs > this.#host.timeoutMs;
    if (isLate || sample === 'failure') this.#fail(nowMs);
    else if (sample === 'success')
      this.#aimd.succeeded({ round: this.#round, durationMs, inFlight: this.#host.inFlight() });
    else return;
    this.#host.changed();
  }

  /** Whether the server has shown that nothing succeeds at present. */
  get isDown(): boolean {
    return this.#aimd.isDown;
  }

  /** Call it when the answer has ended, or when the request was not sent. Of several calls only the first one counts. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const restMs = this.#restsUntilMs - this.#clock.now();
    const free = (): void => this.#host.freed(this);
    if (restMs <= 0) free();
    else this.#clock.sleep(restMs, undefined, { unref: true }).then(free, free);
  }

  #fail(nowMs: number): void {
    this.#restsUntilMs = this.#sentMs + Math.min(LONGEST_REST_MS, this.#aimd.usualMs);
    this.#aimd.failed({ round: this.#round, nowMs });
  }
}
