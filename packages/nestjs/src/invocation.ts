// Why it is so: core/docs/why/frameworks.md

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Admission,
  type Enforcer,
  type HttpRequest,
  type HttpReservation,
  joinRequestPolicies,
  type NodeResponse,
  type Outcome,
  onResponseEnd,
  type RequestPolicies,
  requestPoliciesOf,
} from '@sluice/core/http';
import { type Eventual, whenReady } from '@sluice/core/values';
import type { InvocationSource } from './invocation-source.js';
import { watchStream } from './watch-stream.js';

/** The outcome of a call whose handler is done. */
export const COMPLETED: Outcome = Object.freeze({ status: 200, aborted: false });

/** The outcome of a call whose caller has left. */
export const LEFT: Outcome = Object.freeze({ status: 499, aborted: true });

/** A policy that admits the calls of a handler, or says how to refuse them. */
export interface Admitter<A extends readonly unknown[]> extends Omit<Enforcer<A>, 'enforce'> {
  /** The result is no promise if nothing has to be awaited. */
  admit(...args: A): Eventual<Admission>;
}

/** The policies of a handler, as far as an invocation asks them. */
type Policies<A extends readonly unknown[]> = readonly Pick<Admitter<A>, 'admit'>[];

const current = new AsyncLocalStorage<Invocation>();

/**
 * One call of a handler. It stands for a request and its response in frameworks whose handlers are not only called by
 * HTTP.
 */
export class Invocation {
  /** The invocation whose handler is running now, if `run` has begun it. */
  static get current(): Invocation | undefined {
    return current.getStore();
  }

  /** The reservation of the last policy that counted the call. */
  reservation: HttpReservation | undefined;
  readonly #source: InvocationSource;
  /** The policies that were asked: usually one. */
  #asked: readonly object[] | undefined;
  #copy: { readonly of: HttpRequest; readonly request: HttpRequest } | undefined;
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

  /** The policies that the call has passed. */
  get policies(): RequestPolicies {
    return requestPoliciesOf(this.#source.isShared ? this : this.#source.request);
  }

  /**
   * Returns the object that stands for the request in all policies of this call. It belongs to this call alone, also if
   * the caller's request holds several calls, or if another one is counted.
   */
  counted(request: HttpRequest): HttpRequest {
    const { request: own, isShared } = this.#source;
    if (!isShared && request === own) return own;
    if (this.#copy?.of !== request) {
      this.#copy = { of: request, request: copyOf(request) };
      joinRequestPolicies(this.#copy.request, isShared ? this : own);
    }
    return this.#copy.request;
  }

  /**
   * Asks the policies in this order until one does not admit the call. Each policy is asked once. The result is no
   * promise if nothing has to be awaited.
   */
  admit<A extends readonly unknown[]>(policies: Policies<A>, args: A): Eventual<Admission> {
    return this.#admitFrom(0, policies, args);
  }

  #admitFrom<A extends readonly unknown[]>(first: number, policies: Policies<A>, args: A): Eventual<Admission> {
    for (let i = first; i < policies.length; i += 1) {
      const policy = policies[i] as Policies<A>[0];
      if (this.#asked?.includes(policy)) continue;
      this.#asked = this.#asked ? [...this.#asked, policy] : [policy];
      const admission = policy.admit(...args);
      if (admission !== 'admitted') return this.#admitAfter(admission, i + 1, policies, args);
    }
    return 'admitted';
  }

  #admitAfter<A extends readonly unknown[]>(
    last: Eventual<Admission>,
    next: number,
    policies: Policies<A>,
    args: A,
  ): Eventual<Admission> {
    return whenReady(last, (admission) =>
      admission === 'admitted' ? this.#admitFrom(next, policies, args) : admission,
    );
  }

  /** Runs the handler. While it runs, `Invocation.current` is this invocation. */
  run<T>(handler: () => T): T {
    return current.run(this, handler);
  }

  /**
   * Takes the result of the handler, and returns the value to pass on. If it is a stream, such as a subscription's, the
   * call ends with the stream.
   */
  answered(result: unknown): unknown {
    const stream = watchStream(result, () => this.end(COMPLETED));
    if (stream) this.#isStreaming = true;
    return stream ?? result;
  }

  /** Call it when the handler is done. If its stream continues, the call continues, too. */
  handled(outcome: Outcome): void {
    if (!this.#isStreaming) this.end(outcome);
  }

  /** Call it when the call has ended in a way that neither its response nor its caller reports. */
  end(outcome: Outcome): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#stopListening();
    for (const notify of this.#listeners ?? []) notify(outcome);
  }

  /**
   * Calls `notify` once when the call has ended, at the latest when its caller has left, and at once if it already has.
   * Returns a function that stops it.
   */
  onEnd(notify: (outcome: Outcome) => unknown): () => void {
    if (this.#outcome) {
      notify(this.#outcome);
      return () => {};
    }
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(notify);
    this.#stop ??= this.#onGone((outcome) => this.end(outcome));
    return () => {
      listeners.delete(notify);
      if (listeners.size === 0) this.#stopListening();
    };
  }

  #onGone(notify: (outcome: Outcome) => void): () => void {
    const { response, onGone } = this.#source;
    if (onGone) return onGone(() => notify(LEFT));
    return response ? onResponseEnd(response, notify) : () => {};
  }

  #stopListening(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** The request of an upgrade has the address of its connection. */
function copyOf(request: HttpRequest): HttpRequest {
  const { method, url, headers, ip = request.socket?.remoteAddress } = request;
  return { method, url, headers, ip };
}
