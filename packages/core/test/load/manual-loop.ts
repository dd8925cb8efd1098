import type { EventLoop } from '@sluice/core/load';

/** An event loop whose time a test moves. */
export class ManualLoop implements EventLoop {
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

  /** Begins the next turn, at once if something is ready. */
  turn(): void {
    this.#turns += 1;
  }

  /** Waits for events, and begins the next turn with them. */
  wait(ms: number): void {
    this.#nowMs += ms;
    this.#idleMs += ms;
    this.turn();
  }
}
