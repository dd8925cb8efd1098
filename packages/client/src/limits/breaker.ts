// Why it is so: core/docs/why/outgoing-calls.md

import type { Clock } from '@sluice/core';
import type { Patience } from '../engine/outgoing-limiter.js';
import { AcceptRate } from './accept-rate.js';
import { overloadedServer, silentServer } from './refused-call.js';

/** When requests are not sent because the server does not answer, or refuses most of them. */
export interface BreakerSettings {
  /** So many requests in a row without an answer open it; Infinity if nothing does. */
  readonly failures: number;
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** How many requests are sent at least for each one that is accepted; Infinity if all are. */
  readonly ratio: number;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
}

/** What came of a request: the server took it, refused it for its load, or did not answer. `'nothing'`: the caller ended it. */
export type BreakerSample = 'accepted' | 'refused' | 'silent' | 'nothing';

/** Ends the right to send one request. Of several calls only the first one counts. */
export type EndOfPermit = (sample: BreakerSample) => void;

/** Requests wait at most this long for the outcome of others. */
const LONGEST_WAIT_MS = 1000;

/** Pauses are longer by up to this part, so that processes do not all try at once. */
const JITTER = 0.1;

/** Why a sleep ends that nobody needs any more. */
const OVER = 'there is an outcome';

/**
 * Keeps requests from a server that does not answer. Until the first answer, and after a request without one, only as many are
 * under way as may still fail. When so many have failed in a row, nothing is sent for a pause, and then one request at a time
 * tries.
 */
export class Breaker {
  readonly #settings: BreakerSettings;
  readonly #clock: Clock;
  readonly #rate: AcceptRate;
  /** Whether the last outcome was an answer. */
  #isTrusted = false;
  #failuresInARow = 0;
  #underWay = 0;
  #pauseMs: number;
  #openUntilMs = 0;
  #isProbing = false;
  /** Those who wait for an outcome. */
  #waiting = new Set<() => void>();

  constructor(settings: BreakerSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#rate = new AcceptRate(clock, settings.ratio);
    this.#pauseMs = settings.pauseMs;
  }

  /**
   * Waits until a request may be sent, for the outcome of others at most.
   *
   * @throws SluiceError `SLUICE_UNAVAILABLE` if it is not worth sending; the reason of the signal
   */
  async turn({ signal, maxWaitMs }: Patience): Promise<EndOfPermit> {
    const { rejection } = this.#rate;
    if (rejection > 0 && this.#settings.random() < rejection) {
      this.#rate.add(false);
      throw overloadedServer();
    }
    const endMs = this.#clock.now() + Math.min(LONGEST_WAIT_MS, maxWaitMs);
    for (;;) {
      if (this.#isOpen) return this.#probe();
      const leftMs = endMs - this.#clock.now();
      if (this.#isTrusted || leftMs <= 0 || this.#failuresInARow + this.#underWay < this.#settings.failures)
        return this.#permit(false);
      await this.#outcome(leftMs, signal);
    }
  }

  /** Forgets all outcomes. */
  reset(): void {
    this.#rate.clear();
    this.#close();
    this.#isTrusted = false;
  }

  get #isOpen(): boolean {
    return this.#failuresInARow >= this.#settings.failures;
  }

  #probe(): EndOfPermit {
    const restMs = this.#openUntilMs - this.#clock.now();
    if (restMs > 0 || this.#isProbing) throw silentServer(restMs > 0 ? restMs : this.#settings.pauseMs);
    this.#isProbing = true;
    return this.#permit(true);
  }

  #permit(isProbe: boolean): EndOfPermit {
    this.#underWay += 1;
    let isEnded = false;
    return (sample) => {
      if (isEnded) return;
      isEnded = true;
      this.#underWay -= 1;
      if (isProbe) this.#isProbing = false;
      this.#note(sample, isProbe);
      for (const wake of this.#waiting) wake();
    };
  }

  #note(sample: BreakerSample, isProbe: boolean): void {
    if (sample === 'nothing') return;
    this.#rate.add(sample === 'accepted');
    if (sample !== 'silent') {
      this.#close();
      this.#isTrusted = true;
      return;
    }
    this.#isTrusted = false;
    // What was sent before says nothing new about a server that is known to be silent.
    if (this.#isOpen && !isProbe) return;
    this.#failuresInARow += 1;
    if (this.#isOpen) this.#open();
  }

  #open(): void {
    const jitter = 1 + JITTER * this.#settings.random();
    this.#openUntilMs = this.#clock.now() + Math.ceil(this.#pauseMs * jitter);
    this.#pauseMs = Math.min(this.#settings.longestPauseMs, 2 * this.#pauseMs);
  }

  #close(): void {
    this.#failuresInARow = 0;
    this.#openUntilMs = 0;
    this.#isProbing = false;
    this.#pauseMs = this.#settings.pauseMs;
  }

  async #outcome(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const wake = (): void => over.abort(OVER);
    this.#waiting.add(wake);
    try {
      await this.#clock.sleep(ms, signal ? AbortSignal.any([signal, over.signal]) : over.signal);
    } catch (error) {
      if (!over.signal.aborted || signal?.aborted) throw error;
    } finally {
      this.#waiting.delete(wake);
    }
  }
}
