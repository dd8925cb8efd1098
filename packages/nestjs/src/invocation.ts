import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Admission,
  type Admitter,
  type Chain,
  chainOf,
  type Eventual,
  type HttpRequest,
  type HttpReservation,
  joinChain,
  type NodeResponse,
  type Outcome,
  onResponseEnd,
  whenReady,
} from '@sluice/core/http';
import type { InvocationSource } from './invocation-source.js';
import { watchStream } from './watch-stream.js';

/** How a call ended whose handler has done all it had to do. */
export const COMPLETED: Outcome = Object.freeze({ status: 200, aborted: false });

/** How a call ended that its caller has left. */
export const LEFT: Outcome = Object.freeze({ status: 499, aborted: true });

const current = new AsyncLocalStorage<Invocation>();

/**
 * One call of a handler, for frameworks whose handlers are called by other ways than HTTP, too: what is a request and its
 * response elsewhere.
 */
export class Invocation {
  /** The call in whose handler this is asked, where `run` has begun it. */
  static get current(): Invocation | undefined {
    return current.getStore();
  }

  /** Of the last policy that counted the call. */
  reservation: HttpReservation | undefined;
  readonly #source: InvocationSource;
  readonly #met = new Set<object>();
  #standIn: { readonly of: HttpRequest; readonly request: HttpRequest } | undefined;
  #listeners: Set<(outcome: Outcome) => unknown> | undefined;
  #stop: (() => void) | undefined;
  #isStreaming = false;
  #outcome: Outcome | undefined;

  constructor(caller: InvocationSource) {
    this.#source = caller;
  }

  get request(): HttpRequest {
    return this.#source.request;
  }

  get response(): NodeResponse | undefined {
    return this.#source.response;
  }

  /** The policies that the call has met. */
  get chain(): Chain {
    return chainOf(this.#source.isShared ? this : this.#source.request);
  }

  /**
   * What policies take for the request: one of this call and no other, also where the caller's request holds several, or
   * where another one is to be counted. All of a call are one to the policies that it meets.
   */
  counted(request: HttpRequest): HttpRequest {
    const { request: own, isShared } = this.#source;
    if (!isShared && request === own) return own;
    if (this.#standIn?.of !== request) {
      this.#standIn = { of: request, request: copyOf(request) };
      joinChain(this.#standIn.request, isShared ? this : own);
    }
    return this.#standIn.request;
  }

  /**
   * Asks policies in this order, each once however often it is met, until one does not admit the call. Given at once where
   * nothing has to be waited for.
   */
  admit<A extends readonly unknown[]>(policies: readonly Pick<Admitter<A>, 'admit'>[], args: A): Eventual<Admission> {
    const [policy, ...others] = policies;
    if (policy === undefined) return 'admitted';
    if (this.#met.has(policy)) return this.admit(others, args);
    this.#met.add(policy);
    return whenReady(policy.admit(...args), (admission) =>
      admission === 'admitted' ? this.admit(others, args) : admission,
    );
  }

  /** Runs the handler, in which this is `Call.current`. */
  run<T>(handler: () => T): T {
    return current.run(this, handler);
  }

  /** What the handler has answered, to be handed on: if it is a stream, such as a subscription's, the call ends with that. */
  answered(result: unknown): unknown {
    const stream = watchStream(result, () => this.end(COMPLETED));
    if (stream) this.#isStreaming = true;
    return stream ?? result;
  }

  /** To be called when the handler is done, which may be before its stream is: then the call goes on. */
  handled(outcome: Outcome): void {
    if (!this.#isStreaming) this.end(outcome);
  }

  /** To be called when the call has ended in a way that neither its response nor its caller tells of. */
  end(outcome: Outcome): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#stopListening();
    for (const tell of this.#listeners ?? []) tell(outcome);
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

  #onGone(tell: (outcome: Outcome) => void): () => void {
    const { response, onGone } = this.#source;
    if (onGone) return onGone(() => tell(LEFT));
    return response ? onResponseEnd(response, tell) : () => {};
  }

  #stopListening(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** The request of an upgrade knows the address by its connection. */
function copyOf(request: HttpRequest): HttpRequest {
  const { method, url, headers, ip = request.socket?.remoteAddress } = request;
  return { method, url, headers, ip };
}
