import { AsyncLocalStorage } from 'node:async_hooks';
import type { ExecutionContext } from '@nestjs/common';
import type { Reservation } from '@sluice/core';
import type { Enforcement, HttpRequest, Outcome } from '@sluice/core/http';
import { type Peer, peerOf } from './peer.js';

/** One call of a handler, of which its guards, its interceptor and its parameters know the same. */
export class Call {
  readonly peer: Peer;
  /** Of the last policy that counted the call. */
  reservation: Reservation | undefined;
  #counted: HttpRequest | undefined;
  readonly #met = new Set<object>();
  readonly #finishes = new Set<NonNullable<Enforcement['finish']>>();
  #stop: (() => void) | undefined;

  constructor(peer: Peer) {
    this.peer = peer;
  }

  /** The object that stands for this call and no other, with what core reads of the request. */
  counted(request: HttpRequest): HttpRequest {
    this.#counted ??= this.peer.counted(request);
    return this.#counted;
  }

  /** False when another guard has asked this policy about the call before. */
  meets(policy: object): boolean {
    return this.#met.size < this.#met.add(policy).size;
  }

  /** Finishes when the call ends, at the latest when its client has gone. */
  finishBy(finish: NonNullable<Enforcement['finish']>): void {
    this.#finishes.add(finish);
    this.#stop ??= this.peer.onEnd((outcome) => this.end(outcome));
  }

  end(outcome: Outcome): void {
    this.#stop?.();
    for (const finish of this.#finishes) finish(outcome);
    this.#finishes.clear();
  }
}

/** What a handler runs in that is not called by HTTP: its parameters are not told which call they belong to. */
export const currentCall = new AsyncLocalStorage<Call>();

const calls = new WeakMap<object, Call>();

/** By HTTP the request is the call. Otherwise one may hold many calls, each with arguments of its own. */
export function callOf(context: ExecutionContext): Call {
  const key: object = context.getType() === 'http' ? context.getArgByIndex(0) : context.getArgs();
  const known = calls.get(key);
  if (known) return known;
  const call = new Call(peerOf(context));
  calls.set(key, call);
  return call;
}
