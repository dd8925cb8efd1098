import type { Controller } from './handlers.js';

type Raw = Exclude<Controller['rawHeaders'], undefined>;

/** The controller that a caller has of a request: the same for all attempts. It controls the one that is under way. */
export class RequestController implements Controller {
  readonly #abort: (reason: Error) => void;
  readonly #signal: AbortSignal;
  #isPaused = false;
  #attempt: Controller | undefined;

  constructor(abort: (reason: Error) => void, signal: AbortSignal) {
    this.#abort = abort;
    this.#signal = signal;
  }

  /** The controller of the attempt that is under way. */
  set attempt(controller: Controller) {
    this.#attempt = controller;
  }

  get aborted(): boolean {
    return this.#signal.aborted;
  }

  get reason(): Error | null {
    return this.#signal.reason ?? null;
  }

  get paused(): boolean {
    return this.#isPaused;
  }

  get rawHeaders(): Raw {
    return this.#attempt?.rawHeaders ?? null;
  }

  get rawTrailers(): Raw {
    return this.#attempt?.rawTrailers ?? null;
  }

  abort(reason: Error): void {
    this.#abort(reason);
  }

  pause(): void {
    this.#isPaused = true;
    this.#attempt?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#attempt?.resume();
  }
}
