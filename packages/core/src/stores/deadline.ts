// Why it is so: docs/why/stores-in-front.md

import { stopwatchMs, within } from '../values/clock.js';
import { SluiceError } from '../values/error.js';
import { isSimpleSpend } from './reply.js';
import type { Store, StoreRequest } from './store.js';

/**
 * The time that one request waits for its decision in all, however many steps it takes. It is the time that the store
 * may take for one step, its `remote.timeoutMs`.
 */
export class DeadlineBudget {
  /** The end, as `stopwatchMs()` shows it; infinite if there is none. */
  readonly untilMs: number;
  readonly #remote: Store['remote'];
  /** Timers count whole milliseconds, so a step may be given up a little before the stopwatch shows the end. */
  #hasGivenUp = false;

  /**
   * @param timeoutMs - absent: no end, as for a store in this process
   * @param remote - of the store that is asked; it may know why it is late
   */
  constructor(timeoutMs = Number.POSITIVE_INFINITY, remote?: Store['remote']) {
    this.untilMs = stopwatchMs() + timeoutMs;
    this.#remote = remote;
  }

  /** Whether the time is over, or nobody waits any more. */
  get isOver(): boolean {
    return this.#hasGivenUp || stopwatchMs() >= this.untilMs;
  }

  /**
   * Resolves like the step if it ends in time. A late step goes on, but its result is ignored.
   *
   * @throws SluiceError `SLUICE_STORE` if the step is late
   */
  within<T>(step: Promise<T>): Promise<T> {
    if (this.untilMs === Number.POSITIVE_INFINITY) return step;
    return within(Math.max(0, this.untilMs - stopwatchMs()), step, () => {
      this.#hasGivenUp = true;
      return lateError(this.#remote);
    });
  }
}

/** The error for a late store. It says why, if the store knows: an unreachable store is told apart from a slow one. */
export function lateError(remote: Store['remote']): SluiceError {
  const trouble = remote?.trouble?.();
  const message = 'the store did not answer in time';
  return new SluiceError('SLUICE_STORE', trouble === undefined ? message : `${message}: ${trouble}`, {
    storeFailure: 'timeout',
  });
}

/** Returns the request with a time of the store after which it charges nothing. The common request is written out, because a copy is slow. */
export function withDeadline(request: StoreRequest, notAfterMs: number): StoreRequest {
  if (isSimpleSpend(request)) return { checks: request.checks, notAfterMs };
  const bounded = { notAfterMs, ...request };
  bounded.notAfterMs = Math.min(notAfterMs, request.notAfterMs ?? notAfterMs);
  return bounded;
}
