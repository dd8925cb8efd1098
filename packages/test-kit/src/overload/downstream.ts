import type { Agenda } from './agenda.js';

export interface DownstreamOptions {
  /** How many requests it works on at once; the others queue. */
  readonly servers: number;
  /** The mean time of one request. */
  readonly serviceMs: number;
  /** By which part of its time each request beyond `servers` slows a request that begins. */
  readonly contention: number;
}

interface Call {
  /** In mean service times. */
  readonly size: number;
  readonly answer: () => void;
}

/** What a handler waits for: a database, or another service. It is never idle while something waits, and has no limit. */
export class Downstream {
  readonly #agenda: Agenda;
  readonly #options: DownstreamOptions;
  readonly #queue: Call[] = [];
  #first = 0;
  #working = 0;
  /** By how much everything takes longer now. */
  slowness = 1;

  constructor(agenda: Agenda, options: DownstreamOptions) {
    this.#agenda = agenda;
    this.#options = options;
  }

  call(size: number, nowMs: number, answer: () => void): void {
    // Answers that were given while the caller was busy come first.
    this.#agenda.advance(nowMs);
    this.#queue.push({ size, answer });
    if (this.#working < this.#options.servers) this.#begin(nowMs);
  }

  #begin(nowMs: number): void {
    const { servers, serviceMs, contention } = this.#options;
    const { size, answer } = this.#next();
    this.#working += 1;
    const beyond = this.#queue.length - this.#first;
    const endMs = nowMs + size * serviceMs * this.slowness * (1 + contention * beyond);
    this.#agenda.at(endMs, () => {
      this.#working -= 1;
      answer();
      if (this.#first < this.#queue.length && this.#working < servers) this.#begin(endMs);
    });
  }

  #next(): Call {
    const call = this.#queue[this.#first++] as Call;
    // Shifting an array of 100,000 for each call would take most of the time of a run.
    if (this.#first > 1024 && 2 * this.#first > this.#queue.length) {
      this.#queue.splice(0, this.#first);
      this.#first = 0;
    }
    return call;
  }
}
