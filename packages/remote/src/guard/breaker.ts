// Why it is so: core/docs/why/remote-stores.md

import { inBackground, stopwatchMs } from '@sluice/core/src/values/clock';
import { isMistake, SluiceError } from '@sluice/core/src/values/error';
import { publish } from '@sluice/core/src/values/events';
import type { BreakerState } from '@sluice/core/src/values/store-recorder';

/** This many failures in a row are no coincidence. */
export const FAILURES_TO_OPEN = 5;

/** A server that has done nothing for so long since it failed is away, however seldom it is asked. A pause of a busy server is shorter. */
export const FAILING_MS_TO_OPEN = 500;

/** Much shorter than a second, within which a recovered store has to decide again. */
export const PROBE_EVERY_MS = 250;

/** Returns the error of a call that is not made, because a breaker is open: it names what is not asked. */
export function unavailableError(name: string, cause: unknown): SluiceError {
  const message = `${name} failed several times in a row, so it is not asked until a probe succeeds`;
  return new SluiceError('SLUICE_STORE', message, { cause, storeFailure: 'unavailable' });
}

/** Whose breaker it is. */
interface Guarded {
  /** Resolves when the server works again; rejects within the time of a call. */
  readonly probe: () => Promise<unknown>;
  /** The server's name in events, if it is one of several. */
  readonly node?: string | undefined;
  /** Draws a number from 0 to below 1, by which the first probe comes earlier, so that the probes of many instances are spread. */
  readonly spread: () => number;
}

/** Why a call failed, if other calls failed by the same event. All failures of one event count as one. */
interface FailureEvent {
  /**
   * The number of the stall of this process that took the time of the call: the store may have had no time to reply. It says nothing about
   * how long the server has been away.
   */
  readonly stall?: number | undefined;
  /** The number of the group with which the call was sent. */
  readonly group?: number | undefined;
}

/**
 * A circuit breaker. It opens after several failures in a row, or when a server that has failed does nothing for a while. Then no call
 * reaches the store, except one probe at a time, until a probe succeeds. Its timer runs from a failure to the next success, and does not
 * keep the process alive. So a server that is seldom asked is probed as well: one request that fails does not make later ones wait.
 *
 * @see Nygard, "Release It!", 2007
 */
export class Breaker {
  readonly #probe: () => Promise<unknown>;
  readonly #node: string | undefined;
  readonly #spread: () => number;
  #failures = 0;
  #lastEvent: number | undefined;
  /** When the first failure in a row was seen that no stall explains, by the stopwatch. */
  #failingSinceMs: number | undefined;
  /** The last error of the store. */
  #cause: unknown;
  #isProbing = false;
  #stopProbing: (() => void) | undefined;
  #isOpen = false;
  #isStopped = false;

  constructor({ probe, node, spread }: Guarded) {
    this.#probe = probe;
    this.#node = node;
    this.#spread = spread;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the server has failed since its last success. It is probed then. */
  get isFailing(): boolean {
    return this.#stopProbing !== undefined;
  }

  get state(): BreakerState {
    if (!this.isOpen) return 'closed';
    return this.#isProbing ? 'half-open' : 'open';
  }

  /** Returns the error of a call while the breaker is open: it names what is not asked. */
  unavailableError(name: string): SluiceError {
    return unavailableError(name, this.#cause);
  }

  succeeded(): void {
    this.#failures = 0;
    if (this.#stopProbing) this.#recover();
  }

  /**
   * Counts a failure. A mistake of the program, such as using a closed store, is not a failure of the store, and is not
   * counted.
   */
  failed(error: unknown, { stall, group }: FailureEvent = {}): void {
    const event = stall ?? group;
    if (isMistake(error) || this.#isStopped || (event !== undefined && event === this.#lastEvent)) return;
    this.#lastEvent = event ?? this.#lastEvent;
    this.#failures += 1;
    this.#cause = error;
    if (stall === undefined) this.#failingSinceMs ??= stopwatchMs();
    this.#stopProbing ??= this.#beginProbing();
    if (this.#failures >= FAILURES_TO_OPEN || (stall === undefined && this.#isFailingLong)) this.#open();
  }

  /** Closes the breaker for good, because the store itself is closed. The store reports that to its callers. */
  stop(): void {
    this.#isStopped = true;
    this.#recover();
  }

  get #isFailingLong(): boolean {
    return this.#failingSinceMs !== undefined && stopwatchMs() - this.#failingSinceMs >= FAILING_MS_TO_OPEN;
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#publish('open');
  }

  #beginProbing(): () => void {
    return inBackground(PROBE_EVERY_MS, () => this.#probeOnce(), PROBE_EVERY_MS * (1 - this.#spread()));
  }

  #recover(): void {
    this.#stopProbing?.();
    this.#stopProbing = undefined;
    this.#failingSinceMs = undefined;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#publish('closed');
  }

  #publish(state: BreakerState): void {
    publish('sluice:breaker', this.#node === undefined ? { state } : { state, node: this.#node });
  }

  async #probeOnce(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    if (this.#isOpen) this.#publish('half-open');
    try {
      await this.#probe();
      this.succeeded();
    } catch (error) {
      // Callers have to get a mistake themselves. An open breaker would be probed forever.
      if (isMistake(error)) this.succeeded();
      else this.#probeFailed(error);
    } finally {
      this.#isProbing = false;
    }
  }

  #probeFailed(error: unknown): void {
    this.#cause = error;
    if (this.#isFailingLong) this.#open();
  }
}
