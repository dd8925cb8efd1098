import type { Exchange, Sent } from '../engine/exchange.js';
import type { Attempt, AttemptListener } from './attempt.js';
import { ControlledAttempt } from './controlled-attempt.js';
import type { Handler } from './handlers.js';
import { LegacyAttempt } from './legacy-attempt.js';
import { RequestController } from './request-controller.js';

/** Sends one request with the given handler. */
type Dispatch = (handler: Handler) => boolean;

/** What the engine has to know of a request. */
type RequestFacts = Pick<Exchange<Attempt>, 'head' | 'maxWaitMs' | 'canRepeat'>;

/**
 * One request of a caller, from the wait for its turn to the end of its answer. The caller's handler hears of one dispatch,
 * however many attempts there are.
 */
export class LimitedRequest {
  readonly #dispatch: Dispatch;
  readonly #handler: Handler;
  readonly #aborter = new AbortController();
  readonly #controller = new RequestController((reason) => this.#abort(reason), this.#aborter.signal);
  /** What undici tells interceptors and callers about the way of the request. The attempts fill it in. */
  readonly #context: object = {};
  #abortAttempt: ((reason?: Error) => void) | undefined;

  constructor(dispatch: Dispatch, handler: Handler) {
    this.#dispatch = dispatch;
    this.#handler = handler;
  }

  /** Never rejects: the caller's handler hears of errors. */
  async run(factsOf: () => RequestFacts, run: (exchange: Exchange<Attempt>) => Promise<Sent<Attempt>>): Promise<void> {
    const { signal } = this.#aborter;
    try {
      this.#start();
      const { answer, ended } = await run({
        ...factsOf(),
        signal,
        send: () => this.#send(),
        read: (attempt) => attempt,
        discard: (attempt) => attempt.discard(),
      });
      if (!signal.aborted) return answer.handOn(ended);
      answer.discard();
      ended();
      this.#fail(signal.reason);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** Lets the caller abort from now on, while the request waits for its turn. */
  #start(): void {
    if (this.#handler.onRequestStart) this.#handler.onRequestStart(this.#controller, this.#context);
    else this.#handler.onConnect?.((reason) => this.#abort(reason), this.#context);
  }

  #send(): Promise<Attempt> {
    return new Promise((resolve, reject) => {
      const listener: AttemptListener = {
        onStart: (abort, context) => {
          Object.assign(this.#context, context);
          this.#abortAttempt = abort;
          if (this.#aborter.signal.aborted) abort(this.#aborter.signal.reason);
        },
        onAnswer: resolve,
        onFailure: reject,
      };
      const attempt = this.#handler.onRequestStart
        ? new ControlledAttempt(this.#handler, this.#controller, listener)
        : new LegacyAttempt(this.#handler, listener);
      this.#dispatch(attempt);
    });
  }

  #abort(reason: Error | undefined): void {
    this.#aborter.abort(reason);
    // Without a reason, undici has an error of its own.
    this.#abortAttempt?.(reason);
  }

  #fail(error: Error): void {
    if (this.#handler.onRequestStart) this.#handler.onResponseError?.(this.#controller, error);
    else this.#handler.onError?.(error);
  }
}
