// Why it is so: core/docs/why/outgoing-calls.md

import type { Clock, Key } from '@sluice/core';
import { Aimd } from '@sluice/core/load';
import { encodeKey, hash, publish } from '@sluice/core/values';
import type { Patience } from '../engine/outgoing-limiter.js';
import { AdaptiveSlot } from './adaptive-slot.js';
import { fullServer } from './refused-call.js';

/** How the concurrency of each key is found. */
export interface AdaptiveSettings {
  readonly initial: number;
  readonly max: number;
  /** An answer that takes longer is a failure; Infinity if none does. */
  readonly timeoutMs: number;
}

/** How many requests to a server are under way, as one process sees it. */
export interface ConcurrencyState {
  /** How many may be under way at the same time. It changes with the answers. */
  readonly limit: number;
  /** How many are under way: sent, and the body of the answer has not ended. */
  readonly inFlight: number;
  /** How many calls wait for a slot. */
  readonly waiting: number;
}

/** How long a slot is held if nobody reads the answer to its end. */
const LONGEST_HOLD_MS = 900_000;

/** The least change of the limit, as a part of it, that is published if it grows. */
const PUBLISHED_GROWTH = 0.2;

/** Why the sleep of a call that waits is ended. */
const GRANTED = 'the call has a slot';

/**
 * The slots of one key in this process. As many are given out as the server has shown to bear, and calls wait for one in
 * the order in which they came.
 */
export class AdaptiveConcurrency {
  readonly #settings: AdaptiveSettings & { readonly policy: string };
  readonly #clock: Clock;
  readonly #key: Key;
  readonly #aimd: Aimd;
  /** Those who wait, in their order. */
  readonly #waiting = new Set<(slot: AdaptiveSlot) => void>();
  /** The slots whose requests were sent, in that order. */
  readonly #sent = new Set<AdaptiveSlot>();
  /** The slots that are given out. A request can still wait for its limits before it is sent. */
  #taken = 0;
  #publishedLimit: number;

  constructor(settings: AdaptiveSettings & { readonly policy: string }, clock: Clock, key: Key) {
    this.#settings = settings;
    this.#clock = clock;
    this.#key = key;
    this.#aimd = new Aimd({ initial: settings.initial, max: settings.max });
    this.#publishedLimit = settings.initial;
  }

  get state(): ConcurrencyState {
    return { limit: this.#aimd.limit, inFlight: this.#sent.size, waiting: this.#waiting.size };
  }

  /**
   * Returns a slot, or waits for one.
   *
   * @throws SluiceError `SLUICE_REFUSED` if none is free in time; the reason of the signal
   */
  take(patience: Patience): AdaptiveSlot | Promise<AdaptiveSlot> {
    if (this.#waiting.size === 0 && this.#hasRoom()) return this.#give();
    return this.#wait(patience);
  }

  async #wait({ signal, maxWaitMs }: Patience): Promise<AdaptiveSlot> {
    const endMs = this.#clock.now() + maxWaitMs;
    const over = new AbortController();
    const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    let slot: AdaptiveSlot | undefined;
    const grant = (given: AdaptiveSlot): void => {
      slot = given;
      over.abort(GRANTED);
    };
    this.#waiting.add(grant);
    try {
      for (;;) {
        const leftMs = endMs - this.#clock.now();
        if (leftMs <= 0) throw fullServer(this.state, this.#aimd.usualMs);
        await this.#clock.sleep(Math.min(leftMs, this.#untilForgottenMs()), ended);
        this.#serve();
      }
    } catch (error) {
      this.#waiting.delete(grant);
      if (!slot) throw error;
      if (!signal?.aborted) return slot;
      // It was granted at the moment at which the signal aborted.
      slot.end();
      throw signal.reason;
    }
  }

  #serve(): void {
    for (const grant of this.#waiting) {
      if (!this.#hasRoom()) return;
      this.#waiting.delete(grant);
      grant(this.#give());
    }
  }

  #hasRoom(): boolean {
    if (this.#taken < this.#aimd.limit) return true;
    for (const slot of this.#sent) {
      if (this.#clock.now() - slot.sentMs < LONGEST_HOLD_MS) break;
      slot.end();
    }
    return this.#taken < this.#aimd.limit;
  }

  /** The time until the oldest request counts as forgotten by its caller. */
  #untilForgottenMs(): number {
    for (const { sentMs } of this.#sent) return Math.max(1, sentMs + LONGEST_HOLD_MS - this.#clock.now());
    return LONGEST_HOLD_MS;
  }

  #give(): AdaptiveSlot {
    this.#taken += 1;
    return new AdaptiveSlot(this.#clock, this.#aimd, {
      timeoutMs: this.#settings.timeoutMs,
      sent: (slot) => this.#sent.add(slot),
      inFlight: () => this.#sent.size,
      changed: () => this.#changed(),
      freed: (slot) => {
        this.#sent.delete(slot);
        this.#taken -= 1;
        this.#serve();
      },
    });
  }

  /** The limit may have changed. */
  #changed(): void {
    const { limit } = this.#aimd;
    if (limit < this.#publishedLimit || limit >= this.#publishedLimit * (1 + PUBLISHED_GROWTH)) {
      this.#publishedLimit = limit;
      publish('sluice:concurrency', {
        policy: this.#settings.policy,
        key: hash(encodeKey(this.#key)),
        ...this.state,
      });
    }
    this.#serve();
  }
}
