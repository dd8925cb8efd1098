import type { Decision, Reservation } from '@sluice/core';
import type { Eventual } from '@sluice/core/http';
import type { AdmittedCall, DecidedCall } from './decided-call.js';

/** The call of one request, and the reservation that it got. */
interface Entry<C extends DecidedCall> {
  call: Eventual<C>;
  reservation?: Reservation<boolean>;
}

/**
 * Keeps the call of each request, so that its body is read once for all limits of a decision, and so that a relay finds
 * it later. Entries live as long as their requests.
 */
export class CallRegistry<C extends DecidedCall> {
  readonly #entries = new WeakMap<object, Entry<C>>();

  /** Begins a decision about a request: reads its call. */
  begin(request: unknown, read: () => Eventual<C>): Eventual<C> {
    const call = read();
    if (!isObject(request)) return call;
    const entry: Entry<C> = { call };
    for (const name of namesOf(request)) this.#entries.set(name, entry);
    if (isPromise(call)) void keepResult(entry, call);
    return call;
  }

  /** Returns the call of the decision that has begun; undefined if there is none. */
  of(request: unknown): Eventual<C> | undefined {
    return isObject(request) ? this.#entries.get(request)?.call : undefined;
  }

  /** Notes the decision about the call of a request. */
  decided(request: unknown, decision: Decision): void {
    const entry = isObject(request) ? this.#entries.get(request) : undefined;
    if (entry && decision.allowed && isReservation(decision)) entry.reservation = decision;
  }

  /** Returns the call that was admitted with a request: the object of any framework, Node's, or that of fetch. */
  admitted(request: object): (C & AdmittedCall) | undefined {
    const entry = namesOf(request)
      .map((name) => this.#entries.get(name))
      .find((found) => found?.reservation !== undefined);
    if (!entry?.reservation) return undefined;
    // A decision is made only after its call was read.
    return { ...(entry.call as C), reservation: entry.reservation };
  }
}

/** Keeps the result in place of its promise, so that later limits of the decision need not wait. */
async function keepResult<C extends DecidedCall>(entry: Entry<C>, call: PromiseLike<C>): Promise<void> {
  try {
    entry.call = await call;
  } catch {
    // The decision that waits for the call has the error.
  }
}

/** Fastify, Nest and Hono wrap the request of Node or of fetch. */
interface Wrapper {
  readonly raw?: unknown;
  readonly req?: { readonly raw?: unknown };
}

/** Returns the objects by which the call of a request can be found. */
function namesOf(request: object & Wrapper): readonly object[] {
  return [request, request.raw, request.req?.raw].filter(isObject);
}

function isPromise<C>(call: Eventual<C>): call is PromiseLike<C> {
  return typeof (call as Partial<PromiseLike<C>>).then === 'function';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isReservation(decision: Decision): decision is Reservation<boolean> {
  return 'settle' in decision;
}
