import type { Clock } from '../../values/clock.js';

/** What comes round from time to time, and for how long. */
interface Work {
  /** Whether there is anything to come round for. */
  isNeeded(): boolean;
  round(): void | Promise<void>;
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

  /** Sees to it that the rounds go on until no work is left. */
  begin(): void {
    if (!this.#isRunning) this.#run();
  }

  /** Wakes who sleeps until the next round, which does not come. */
  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#work.isNeeded()) {
        await this.#clock.sleep(this.#everyMs, this.#stopping.signal);
        await this.#work.round();
      }
    } catch {
      // Stopped; over a clock that cannot sleep there are no rounds.
    } finally {
      this.#isRunning = false;
    }
  }
}
