import type { Decision, Reservation } from '@sluice/core';
import { type Eventual, isPromise } from '@sluice/core/values';
import { isObject } from '../json-object.js';
import type { AdmittedCall } from './decided-call.js';
import type { PlannedCall } from './planned-call.js';

/** The calls of one request. */
interface Entry {
  /** The call of the decision that began last, which may be a look. */
  call: Eventual<PlannedCall>;
  /** The call that the last decision has admitted; undefined if it refused. */
  admitted: (PlannedCall & AdmittedCall) | undefined;
}

/**
 * Keeps the call of each request, so that its body is read once for all limits of a decision, and so that a relay finds
 * it later. Entries live as long as their requests.
 */
export class CallRegistry {
  readonly #entries = new WeakMap<object, Entry>();

  /** Begins a decision about a request: reads its call. */
  begin(request: unknown, read: () => Eventual<PlannedCall>): Eventual<PlannedCall> {
    const call = read();
    if (!isObject(request)) return call;
    const entry = this.#entries.get(request) ?? { call, admitted: undefined };
    entry.call = call;
    for (const name of namesOf(request)) this.#entries.set(name, entry);
    if (isPromise(call)) void keepResult(entry, call);
    return call;
  }

  /** Returns the call of the decision that has begun; undefined if there is none. */
  of(request: unknown): Eventual<PlannedCall> | undefined {
    return isObject(request) ? this.#entries.get(request)?.call : undefined;
  }

  /** Notes the decision about the call of a request. */
  decided(request: unknown, decision: Decision): void {
    const entry = isObject(request) ? this.#entries.get(request) : undefined;
    if (!entry) return;
    // A decision is made only after its call was read.
    const call = entry.call as PlannedCall;
    const isAdmitted = decision.allowed && isReservation(decision);
    entry.admitted = isAdmitted ? { ...call, reservation: decision } : undefined;
  }

  /** Returns the call that was admitted with a request: the object of any framework, Node's, or that of fetch. */
  admitted(request: object): (PlannedCall & AdmittedCall) | undefined {
    // What was decided about the object itself counts: several jobs may have one request.
    const name = namesOf(request).find((one) => this.#entries.has(one));
    return name && this.#entries.get(name)?.admitted;
  }
}

/** Keeps the result in place of its promise, so that later limits of the decision need not wait. */
async function keepResult(entry: Entry, call: PromiseLike<PlannedCall>): Promise<void> {
  try {
    const result = await call;
    if (entry.call === call) entry.call = result;
  } catch {
    // The decision that waits for the call has the error.
  }
}

/** Fastify, Nest, Hono and Koa wrap the request of Node or of fetch. A context of Koa has a request of its own beside it. */
interface Wrapper {
  readonly raw?: unknown;
  readonly req?: { readonly raw?: unknown };
  readonly request?: unknown;
}

/** Returns the objects by which the call of a request can be found. */
function namesOf(request: object & Wrapper): readonly object[] {
  return [request, request.raw, request.req, request.req?.raw, request.request].filter(isObject);
}

function isReservation(decision: Decision): decision is Reservation<boolean> {
  return 'settle' in decision;
}
