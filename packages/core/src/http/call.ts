import type { Reservation } from '../limiter/reservation.js';
import type { Outcome } from './enforcement.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';
import { onResponseEnd } from './response-end.js';

/** How a call ended whose handler has done all it had to do. */
export const COMPLETED: Outcome = Object.freeze({ status: 200, aborted: false });

/** How a call ended that its caller has left. */
export const LEFT: Outcome = Object.freeze({ status: 499, aborted: true });

/** Who has called, by whatever way. */
export interface Caller {
  /** What callbacks get. */
  readonly request: HttpRequest;
  /** Absent where there is none to write to. Its end ends the call, if nothing did before. */
  readonly response?: HttpResponse | undefined;
  /** True where a request holds several calls, or a call has no request of its own. */
  readonly isShared: boolean;
  /** Where there is no response: tells when nobody waits for an answer any more. Returns the way to stop. */
  onGone?(tell: () => void): () => void;
}

/**
 * One call of a handler, for frameworks whose handlers are called by other ways than HTTP, too: what is a request and its
 * response elsewhere.
 */
export class Call {
  /** Of the last policy that counted the call. */
  reservation: Reservation | undefined;
  readonly #caller: Caller;
  readonly #met: object[] = [];
  #counted: HttpRequest | undefined;
  #listeners: Set<(outcome: Outcome) => unknown> | undefined;
  #stop: (() => void) | undefined;
  #outcome: Outcome | undefined;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  get request(): HttpRequest {
    return this.#caller.request;
  }

  get response(): HttpResponse | undefined {
    return this.#caller.response;
  }

  /** The object that stands for this call and no other, with what is read of the request: of the first one it is asked about. */
  counted(request: HttpRequest): HttpRequest {
    this.#counted ??= this.#caller.isShared ? copyOf(request) : request;
    return this.#counted;
  }

  /** False when this policy was asked about the call before. */
  meets(policy: object): boolean {
    if (this.#met.includes(policy)) return false;
    this.#met.push(policy);
    return true;
  }

  /** Tells once when the call has ended, at the latest when its caller has gone; at once if it has. Returns the way to stop. */
  onEnd(tell: (outcome: Outcome) => unknown): () => void {
    if (this.#outcome) {
      tell(this.#outcome);
      return () => {};
    }
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(tell);
    this.#stop ??= this.#onGone((outcome) => this.end(outcome));
    return () => {
      listeners.delete(tell);
      if (listeners.size === 0) this.#stopListening();
    };
  }

  /** To be called when the call has ended in a way that neither its response nor its caller tells of. */
  end(outcome: Outcome): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#stopListening();
    for (const tell of this.#listeners ?? []) tell(outcome);
  }

  #onGone(tell: (outcome: Outcome) => void): () => void {
    const { response, onGone } = this.#caller;
    if (onGone) return onGone(() => tell(LEFT));
    return response ? onResponseEnd(response, tell) : () => {};
  }

  #stopListening(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** The request of an upgrade knows the address by its connection. */
function copyOf(request: HttpRequest & { readonly socket?: { readonly remoteAddress?: string } }): HttpRequest {
  const { method, url, headers, ip = request.socket?.remoteAddress } = request;
  return { method, url, headers, ip };
}
