import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { Attempt, type AttemptListener } from './attempt.js';
import type { Controller, Handler } from './handlers.js';
import type { RequestController } from './request-controller.js';

/** An attempt for a caller with a handler of the new kind, which has a controller. */
export class ControlledAttempt extends Attempt implements Handler {
  readonly #caller: Handler;
  readonly #controller: RequestController;
  #own: Controller | undefined;

  constructor(caller: Handler, controller: RequestController, listener: AttemptListener) {
    super(listener);
    this.#caller = caller;
    this.#controller = controller;
  }

  onRequestStart(own: Controller, context: unknown): void {
    this.#own = own;
    this.#controller.attempt = own;
    const aborted = (): Error => new DOMException('The request was aborted', 'AbortError');
    this.started((reason = aborted()) => own.abort(reason), context);
  }

  onResponseStart(own: Controller, statusCode: number, headers: IncomingHttpHeaders, statusMessage?: string): void {
    const pass = (): boolean => {
      this.#caller.onResponseStart?.(this.#controller, statusCode, headers, statusMessage);
      return !this.#controller.paused;
    };
    // Informational: the answer itself follows.
    if (statusCode < 200) return void pass();
    own.pause();
    this.answered({ status: statusCode, headers }, pass);
  }

  onRequestUpgrade(_own: Controller, statusCode: number, headers: IncomingHttpHeaders, socket: Duplex): void {
    const pass = () => this.#caller.onRequestUpgrade?.(this.#controller, statusCode, headers, socket);
    this.upgraded({ status: statusCode, headers }, socket, pass);
  }

  onResponseData(_own: Controller, chunk: Buffer): void {
    this.received(chunk, () => {
      this.#caller.onResponseData?.(this.#controller, chunk);
      return !this.#controller.paused;
    });
  }

  onResponseEnd(_own: Controller, trailers: IncomingHttpHeaders): void {
    this.completed(() => this.#caller.onResponseEnd?.(this.#controller, trailers));
  }

  onResponseError(_own: Controller, error: Error): void {
    this.failed(error, () => this.#caller.onResponseError?.(this.#controller, error));
  }

  protected resume(): void {
    this.#own?.resume();
  }
}
