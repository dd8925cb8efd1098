import { stopwatchMs, within } from '../values/clock.js';
import { SluiceError } from '../values/error.js';
import type { Store } from './store.js';

/**
 * How long one request waits for its answer, however many steps that takes: as long as a store may take for one, its
 * `remote.timeoutMs`.
 */
export class DeadlineBudget {
  /** By the stopwatch; infinite where the wait has no end. */
  readonly untilMs: number;
  readonly #remote: Store['remote'];
  /** Timers count whole milliseconds, so that a step may be given up a little before the stopwatch shows it. */
  #hasGivenUp = false;

  /**
   * @param timeoutMs - absent: for ever, as for a store that is not asked over a network.
   * @param remote - of the store that is asked, which may know why it is late.
   */
  constructor(timeoutMs = Number.POSITIVE_INFINITY, remote?: Store['remote']) {
    this.untilMs = stopwatchMs() + timeoutMs;
    this.#remote = remote;
  }

  get isOver(): boolean {
    return this.#hasGivenUp || stopwatchMs() >= this.untilMs;
  }

  /**
   * What a step comes to, if that is in time. The step goes on in any case.
   *
   * @throws SluiceError `SLUICE_STORE`
   */
  within<T>(step: Promise<T>): Promise<T> {
    if (this.untilMs === Number.POSITIVE_INFINITY) return step;
    return within(Math.max(0, this.untilMs - stopwatchMs()), step, () => {
      this.#hasGivenUp = true;
      return lateError(this.#remote);
    });
  }
}

/** Said to one whose patience is over. A store that is gone is told from one that is slow, where it knows. */
export function lateError(remote: Store['remote']): SluiceError {
  const trouble = remote?.trouble?.();
  const message = 'the store did not answer in time';
  return new SluiceError('SLUICE_STORE', trouble === undefined ? message : `${message}: ${trouble}`);
}
