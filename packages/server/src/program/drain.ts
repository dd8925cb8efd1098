import type { Clock } from '@sluice/core';
import type { Health } from '../health/health.js';
import type { Listener } from '../listener.js';

/** The parts that a drain ends, and how long its steps may take. */
interface DrainParts {
  readonly health: Pick<Health, 'drain'>;
  readonly listeners: () => readonly Listener[];
  readonly delayMs: number;
  readonly deadlineMs: number;
  readonly clock: Clock;
  /** Closes whatever the listeners have used. */
  close(): Promise<void>;
}

/**
 * How long clients are told to go before the ports close. A connection on which something is asked hears of it with the next
 * answer. One that is idle for so long is closed, and a client that asks in that moment has to ask again.
 */
const LEAVING_MS = 2000;

/**
 * Takes an instance out of service, once, and without a failed request:
 *
 * 1. It is not ready any more. It answers as before, until balancers have noticed: `delayMs`.
 * 2. It tells clients to go (`Connection: close`, GOAWAY), and still answers whatever comes.
 * 3. It takes no more connections, and sends its last answers. This and the step before take at most `deadlineMs`.
 * 4. It closes what it has used.
 */
export class Drain {
  /** Settles when all is closed, whoever has begun. */
  readonly ended: Promise<void>;
  readonly #parts: DrainParts;
  readonly #hurry = new AbortController();
  #hasBegun = false;
  /** Settles `ended`. */
  #follow!: (run: Promise<void>) => void;

  constructor(parts: DrainParts) {
    this.#parts = parts;
    this.ended = new Promise((resolve) => {
      this.#follow = resolve;
    });
  }

  /** Begins, if it has not begun. */
  begin(): Promise<void> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#follow(this.#run());
    }
    return this.ended;
  }

  /** Begins, or goes on, without waiting: answers under way are cut off. */
  hurry(): Promise<void> {
    this.#hurry.abort();
    return this.begin();
  }

  async #run(): Promise<void> {
    const { health, listeners, delayMs, deadlineMs, close } = this.#parts;
    health.drain();
    await this.#pause(delayMs);
    for (const listener of listeners()) listener.leave();
    const leavingMs = Math.min(LEAVING_MS, Math.floor(deadlineMs / 2));
    await this.#pause(leavingMs);
    const restMs = this.#hurry.signal.aborted ? 0 : deadlineMs - leavingMs;
    await Promise.all(listeners().map((listener) => listener.close(restMs)));
    await close();
  }

  #pause(ms: number): Promise<void> {
    return this.#parts.clock.sleep(ms, this.#hurry.signal).catch(() => {});
  }
}
