import { stopwatchMs, within } from '../clock.js';
import { SluiceError } from '../error.js';

/**
 * How long one request waits for its answer, however many steps that takes: as long as a store may take for one, its
 * `remote.timeoutMs`.
 */
export class Patience {
  readonly #untilMs: number;

  /** @param timeoutMs - absent: for ever, as for a store that is not asked over a network. */
  constructor(timeoutMs = Number.POSITIVE_INFINITY) {
    this.#untilMs = stopwatchMs() + timeoutMs;
  }

  get isOver(): boolean {
    return stopwatchMs() >= this.#untilMs;
  }

  /**
   * What a step comes to, if that is in time. The step goes on in any case.
   *
   * @throws SluiceError `SLUICE_STORE`
   */
  within<T>(step: Promise<T>): Promise<T> {
    if (this.#untilMs === Number.POSITIVE_INFINITY) return step;
    return within(Math.max(0, this.#untilMs - stopwatchMs()), step, late);
  }
}

/** Said to one whose patience is over. */
export function late(): SluiceError {
  return new SluiceError('SLUICE_STORE', 'the stores that were asked one after the other did not answer in time');
}
