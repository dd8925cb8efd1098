import type { EventLoop } from '@sluice/core/load';
import type { Agenda } from './agenda.js';
import type { Processor } from './processor.js';

/**
 * An event loop in simulated time. A turn takes everything that is ready and runs it in order; what becomes ready meanwhile
 * waits for the next turn. The loop waits, and counts as idle, only if nothing is ready when a turn begins, like libuv.
 */
export class SimulatedLoop implements EventLoop {
  readonly #agenda: Agenda;
  readonly #processor: Processor;
  #ready: (() => void)[] = [];
  #nowMs = 0;
  #idleMs = 0;
  #turns = 0;

  constructor(agenda: Agenda, processor: Processor) {
    this.#agenda = agenda;
    this.#processor = processor;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  idleMs(): number {
    return this.#idleMs;
  }

  turns(): number {
    return this.#turns;
  }

  /** Something can be read: its task runs in the next turn. */
  ready(task: () => void): void {
    this.#ready.push(task);
  }

  /** The task that runs now uses the processor. */
  work(workMs: number): void {
    this.#nowMs = this.#processor.endOf(workMs, this.#nowMs);
  }

  /** Runs a task at intervals. Like any timer it is late while the loop is busy. */
  every(intervalMs: number, task: () => void): void {
    const arm = (): void =>
      this.#agenda.at(this.#nowMs + intervalMs, () =>
        this.ready(() => {
          arm();
          task();
        }),
      );
    arm();
  }

  run(untilMs: number): void {
    while (this.#nowMs < untilMs) {
      this.#agenda.advance(this.#nowMs);
      if (this.#ready.length === 0) this.#wait(untilMs);
      this.#turn();
    }
  }

  #wait(untilMs: number): void {
    const startMs = this.#nowMs;
    while (this.#ready.length === 0 && this.#nowMs < untilMs) {
      this.#nowMs = this.#processor.runsFrom(Math.min(this.#agenda.nextMs, untilMs));
      this.#agenda.advance(this.#nowMs);
    }
    this.#idleMs += this.#nowMs - startMs;
  }

  #turn(): void {
    this.#turns += 1;
    const batch = this.#ready;
    this.#ready = [];
    for (const task of batch) task();
  }
}
