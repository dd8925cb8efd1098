import type { Duplex } from 'node:stream';
import type { HeaderSource } from '../headers/fields.js';
import { HeldEvents } from './held-events.js';

/** A body up to this length is read to its end if nobody wants it, because the connection can be used again then. */
const MOST_DRAINED_BYTES = 65_536;

/** What an attempt tells the request that it belongs to. */
export interface AttemptListener {
  /** Before it is sent: how to end it. */
  readonly onStart: (abort: (reason?: Error) => void, context: unknown) => void;
  readonly onAnswer: (answer: Attempt) => void;
  /** Instead of an answer. */
  readonly onFailure: (error: Error) => void;
}

/** The head of an answer, as undici states it. */
interface Head {
  readonly status: number;
  readonly headers: HeaderSource;
}

/**
 * One dispatch of a request. For undici it is the handler of the dispatch. It holds the answer back until the client has
 * decided whether the caller gets it.
 */
export abstract class Attempt {
  readonly #listener: AttemptListener;
  readonly #events = new HeldEvents();
  #head: Head | undefined;
  #abort: ((reason?: Error) => void) | undefined;
  /** Of an answer that became another protocol. */
  #socket: Duplex | undefined;
  #ended: (() => void) | undefined;
  #drainedBytes = 0;

  constructor(listener: AttemptListener) {
    this.#listener = listener;
  }

  get status(): number {
    return this.#head?.status ?? 0;
  }

  get headers(): HeaderSource {
    return this.#head?.headers ?? [];
  }

  /** Gives the answer to the caller. `ended` is called when it has ended, however it ended. */
  handOn(ended: () => void): void {
    this.#ended = ended;
    try {
      if (this.#events.release()) this.resume();
    } catch (error) {
      this.abort(error as Error);
    }
  }

  /** Ends the answer. The caller hears nothing of it. */
  discard(): void {
    this.#events.drop();
    if (this.#socket) this.#socket.destroy();
    else this.resume();
  }

  /** Lets the rest of the answer come. */
  protected abstract resume(): void;

  /** Ends the dispatch. */
  protected abort(reason: Error): void {
    this.#abort?.(reason);
  }

  protected started(abort: (reason?: Error) => void, context: unknown): void {
    this.#abort = abort;
    this.#listener.onStart(abort, context);
  }

  /** The head has come. `pass` gives it to the caller. */
  protected answered(head: Head, pass: () => unknown): void {
    this.#head = head;
    this.#events.pass(pass);
    this.#listener.onAnswer(this);
  }

  /** The connection speaks another protocol from now on. */
  protected upgraded(head: Head, socket: Duplex, pass: () => unknown): void {
    this.#socket = socket;
    this.answered(head, pass);
    socket.once('close', () => this.completed(() => {}));
  }

  /** Returns whether more may come. */
  protected received(chunk: Uint8Array, pass: () => unknown): boolean {
    if (this.#events.isDropped) this.#drain(chunk.length);
    return this.#events.pass(pass);
  }

  protected completed(pass: () => unknown): void {
    this.#last(pass);
  }

  protected failed(error: Error, pass: () => unknown): void {
    if (this.#head) this.#last(pass);
    else this.#listener.onFailure(error);
  }

  #last(pass: () => unknown): void {
    this.#events.pass(() => {
      this.#events.drop();
      this.#ended?.();
      return pass();
    });
  }

  #drain(bytes: number): void {
    this.#drainedBytes += bytes;
    if (this.#drainedBytes > MOST_DRAINED_BYTES) this.abort(new Error('the rest of the answer is not needed'));
  }
}
