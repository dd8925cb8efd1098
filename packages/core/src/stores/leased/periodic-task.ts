import type { Clock } from '../../values/clock.js';

/** What a periodic task does, and for how long. */
interface Work {
  /** Whether there is anything left to do. */
  isNeeded(): boolean;
  run(): void | Promise<void>;
}

/** Work that is done every so often while there is any, so that a store which holds nothing keeps no process alive. */
export class PeriodicTask {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #work: Work;
  readonly #stopping = new AbortController();
  #isRunning = false;

  constructor(clock: Clock, everyMs: number, work: Work) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#work = work;
  }

  /** Runs the work again and again until none is left. */
  begin(): void {
    if (!this.#isRunning) this.#run();
  }

  /** Ends the task; the next run does not come. */
  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#work.isNeeded()) {
        await this.#clock.sleep(this.#everyMs, this.#stopping.signal);
        await this.#work.run();
      }
    } catch {
      // Stopped; over a clock that cannot sleep the task never runs.
    } finally {
      this.#isRunning = false;
    }
  }
}
