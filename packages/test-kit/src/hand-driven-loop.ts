import type { EventLoop } from '@sluice/core/load';

/** An event loop whose turns are as long as a test says. */
export class HandDrivenLoop implements EventLoop {
  #nowMs = 0;
  #idleMs = 0;
  #turns = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  idleMs(): number {
    return this.#idleMs;
  }

  turns(): number {
    return this.#turns;
  }

  /** Works within the turn. */
  work(ms: number): void {
    this.#nowMs += ms;
  }

  /** Ends a turn that was busy for a time, and waited for events after it. */
  turn(busyMs: number, idleMs = 0): void {
    this.#turns += 1;
    this.#nowMs += busyMs + idleMs;
    this.#idleMs += idleMs;
  }
}
