import type { Clock } from '@sluice/core/src/values/clock';

/** The work of a periodic task, and how long it is needed. */
interface Work {
  /** Whether any work is left. */
  isNeeded(): boolean;
  run(): void | Promise<void>;
}

/** Runs work at intervals while there is any. A store that holds nothing therefore does not keep the process alive. */
export class PeriodicTask {
  readonly #clock: Clock;
  readonly #everyMs: () => number;
  readonly #work: Work;
  readonly #stopping = new AbortController();
  #isRunning = false;

  /** @param everyMs - returns the length of the next interval */
  constructor(clock: Clock, everyMs: () => number, work: Work) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#work = work;
  }

  /** Starts the task if it is not running. It runs until no work is left. */
  begin(): void {
    if (!this.#isRunning) this.#run();
  }

  /** Stops the task for good. */
  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#work.isNeeded()) {
        await this.#clock.sleep(this.#everyMs(), this.#stopping.signal);
        await this.#work.run();
      }
    } catch {
      // The task was stopped. With a clock that cannot sleep it never runs.
    } finally {
      this.#isRunning = false;
    }
  }
}
