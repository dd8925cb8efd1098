import type { Reservation } from '../reservation.js';
import { AbortGroups } from './abort-groups.js';

/** Work for which a reservation was made. */
type Work<T> = (signal: AbortSignal, reservation: Reservation<boolean>) => T | PromiseLike<T>;

interface Run {
  readonly signal: AbortSignal | undefined;
  readonly abort: AbortController;
}

/** The work of a line that runs. Its slots are freed when it ends, and its signal aborts when the line is closed. */
export class RunningWork {
  readonly #runs = new Set<Run>();
  readonly #aborts = new AbortGroups<Run>(({ abort }, reason) => abort.abort(reason));
  #closed: Error | undefined;

  /**
   * Runs admitted work.
   *
   * @param signal - if it aborts, the signal of the work does, too
   */
  async run<T>(reservation: Reservation<boolean>, work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    // A promise brought the reservation here, and meanwhile the signal may have aborted, or the line may have been closed.
    if (this.#closed || signal?.aborted) {
      await reservation.cancel();
      throw this.#closed ?? signal?.reason;
    }
    const run: Run = { signal, abort: new AbortController() };
    this.#runs.add(run);
    this.#aborts.add(run);
    try {
      return await work(run.abort.signal, reservation);
    } finally {
      this.#runs.delete(run);
      this.#aborts.remove(run);
      await freed(reservation);
    }
  }

  /** Aborts the signals of all work, and refuses further work. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { abort } of this.#runs) abort.abort(this.#closed);
  }
}

/**
 * Frees the slots, and leaves the charge: the work may have handed it over to be corrected. If the store was closed meanwhile, there is
 * nothing left to free.
 */
async function freed(reservation: Reservation<boolean>): Promise<void> {
  try {
    await reservation.release();
  } catch {}
}
