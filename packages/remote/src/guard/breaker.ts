// Why it is so: core/docs/why/remote-stores.md

import { inBackground } from '@sluice/core/src/values/clock';
import { isMistake, SluiceError } from '@sluice/core/src/values/error';
import { publish } from '@sluice/core/src/values/events';
import type { BreakerState } from '@sluice/core/src/values/store-recorder';

/** This many failures in a row are no coincidence. */
export const FAILURES_TO_OPEN = 5;

/** Much shorter than a second, within which a recovered store has to decide again. */
export const PROBE_EVERY_MS = 250;

/** Returns the error of a call that is not made, because a breaker is open: it names what is not asked. */
export function unavailableError(name: string, cause: unknown): SluiceError {
  const message = `${name} failed several times in a row, so it is not asked until a probe succeeds`;
  return new SluiceError('SLUICE_STORE', message, { cause, storeFailure: 'unavailable' });
}

/**
 * A circuit breaker. After several failures in a row it opens: no call reaches the store, except one probe at a time,
 * until a probe succeeds. Its timer runs only while it is open, and does not keep the process alive.
 *
 * @see Nygard, "Release It!", 2007
 */
export class Breaker {
  readonly #probe: () => Promise<unknown>;
  readonly #node: string | undefined;
  #failures = 0;
  #lastStall: number | undefined;
  /** The last error of the store. */
  #cause: unknown;
  #isProbing = false;
  #stopProbing: (() => void) | undefined;
  #isStopped = false;

  /**
   * @param probe - resolves when the server works again; rejects within the time of a call
   * @param node - the server's name in events, if it is one of several
   */
  constructor(probe: () => Promise<unknown>, node?: string) {
    this.#probe = probe;
    this.#node = node;
  }

  get isOpen(): boolean {
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
    if (this.#stopProbing) this.#close();
  }

  /**
   * Counts a failure. A mistake of the program, such as using a closed store, is not a failure of the store, and is not
   * counted.
   *
   * @param stall - the number of the stall of this process that took the time of the call. All failures of one stall
   * count as one, because the store may have had no time to reply.
   */
  failed(error: unknown, stall?: number): void {
    if (isMistake(error) || (stall !== undefined && stall === this.#lastStall)) return;
    this.#lastStall = stall ?? this.#lastStall;
    this.#failures += 1;
    this.#cause = error;
    if (this.#failures < FAILURES_TO_OPEN || this.isOpen || this.#isStopped) return;
    this.#stopProbing = inBackground(PROBE_EVERY_MS, () => this.#probeOnce());
    this.#publish('open');
  }

  /** Closes the breaker for good, because the store itself is closed. The store reports that to its callers. */
  stop(): void {
    this.#isStopped = true;
    this.#close();
  }

  #close(): void {
    if (!this.#stopProbing) return;
    this.#stopProbing();
    this.#stopProbing = undefined;
    this.#publish('closed');
  }

  #publish(state: BreakerState): void {
    publish('sluice:breaker', this.#node === undefined ? { state } : { state, node: this.#node });
  }

  async #probeOnce(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    this.#publish('half-open');
    try {
      await this.#probe();
      this.succeeded();
    } catch (error) {
      // Callers have to get a mistake themselves. An open breaker would be probed forever.
      if (isMistake(error)) this.succeeded();
      else this.#cause = error;
    } finally {
      this.#isProbing = false;
    }
  }
}
