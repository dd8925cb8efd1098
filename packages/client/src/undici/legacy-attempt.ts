import type { Duplex } from 'node:stream';
import { Attempt, type AttemptListener } from './attempt.js';
import { type Handler, pairsOf } from './handlers.js';

/** An attempt for a caller with a handler of the old kind. */
export class LegacyAttempt extends Attempt implements Handler {
  readonly #caller: Handler;
  #resume: (() => void) | undefined;

  constructor(caller: Handler, listener: AttemptListener) {
    super(listener);
    this.#caller = caller;
  }

  onConnect(abort: (reason?: Error) => void, context?: unknown): void {
    this.started(abort, context);
  }

  onHeaders(statusCode: number, raw: Buffer[], resume: () => void, statusText: string): boolean {
    const pass = () => this.#caller.onHeaders?.(statusCode, raw, resume, statusText);
    // Informational: the answer itself follows.
    if (statusCode < 200) return pass() !== false;
    this.#resume = resume;
    this.answered({ status: statusCode, headers: pairsOf(raw) }, pass);
    return false;
  }

  onUpgrade(statusCode: number, raw: Buffer[] | string[] | null, socket: Duplex): void {
    const head = { status: statusCode, headers: pairsOf(raw) };
    this.upgraded(head, socket, () => this.#caller.onUpgrade?.(statusCode, raw, socket));
  }

  onData(chunk: Buffer): boolean {
    return this.received(chunk, () => this.#caller.onData?.(chunk));
  }

  onComplete(trailers: string[] | null): void {
    this.completed(() => this.#caller.onComplete?.(trailers));
  }

  onError(error: Error): void {
    this.failed(error, () => this.#caller.onError?.(error));
  }

  onResponseStarted(): void {
    this.#caller.onResponseStarted?.();
  }

  onBodySent(chunkSize: number, totalBytesSent: number): void {
    this.#caller.onBodySent?.(chunkSize, totalBytesSent);
  }

  onRequestSent(): void {
    this.#caller.onRequestSent?.();
  }

  protected resume(): void {
    this.#resume?.();
  }
}
