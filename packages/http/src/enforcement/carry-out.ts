// Why it is so: core/docs/why/http-steps.md

import type { Decision } from '@sluice/core/src/values/decision';
import { type Eventual, isPromise, whenReady } from '@sluice/core/src/values/eventual';
import { onAnswer, watchAnswer } from '../node/answer.js';
import type { HttpResponse } from '../node/response.js';
import type { Outcome } from '../node/response-end.js';
import { addHeaders, removeHeaders } from '../node/response-fields.js';
import type { Refusal } from '../refusals/problem.js';
import type { Host } from '../request/host.js';
import type { HttpReservation } from '../request/http-reservation.js';
import { requestPoliciesOf } from '../request/policies-of-request.js';
import type { Enforcement, Fields } from './enforcement.js';

type Args = readonly unknown[];

/** How an adapter takes the steps that follow a decision. */
export interface MiddlewareHost<A extends Args> extends Host<A> {
  /** Stores the reservation where handlers find it: that of the last policy that counts the request. */
  keep(reservation: HttpReservation, ...args: A): void;
  /**
   * Calls `notify` once when the request has ended in any way, and at once if it already has. Returns a function that
   * stops it. Over Node's HTTP, use `onResponseEnd`.
   */
  onEnd(notify: (outcome: Outcome) => unknown, ...args: A): () => void;
  /**
   * Returns whether the adapter reports when the handler begins and ends, to `requestPoliciesOf(request).work`. Absent if
   * it never does.
   */
  reportsHandler?(...args: A): boolean;
}

/** How an adapter writes the responses of its framework. */
export interface AdmittingHost<A extends Args> extends MiddlewareHost<A> {
  /** Returns the object to set header fields on; absent if there is none. */
  responseOf(...args: A): HttpResponse | undefined;
}

/**
 * The result for a request. `'over'` means that it has a response, or that nobody waits for one: then do nothing more. An object is
 * the refusal to send; it has no decision if no limit was asked.
 */
export type Admission =
  | 'admitted'
  | 'over'
  | {
      /** What to send. */
      readonly refusal: Refusal;
      /** The decision behind it; undefined if no limit was asked. */
      readonly decision: Decision | undefined;
    };

/**
 * Carries out what is to be done with a request: sets the header fields, keeps the reservation for the handler, refuses, waits for a
 * turn, and listens for the end. The result is no promise if nothing has to be awaited.
 *
 * @param enforcement - undefined if the request is not counted
 * @example
 * const admission = await carryOut(enforcer.enforce(req, res), host);
 * if (typeof admission === 'object') sendRefusal(res, admission.refusal);
 */
export function carryOut<A extends Args>(
  enforcement: Eventual<Enforcement<A> | undefined>,
  host: AdmittingHost<A>,
): Eventual<Admission> {
  if (isPromise(enforcement)) return Promise.resolve(enforcement).then((ready) => carryOut(ready, host));
  return enforcement ? carryOutOn(host.responseOf(...enforcement.args), enforcement, host) : 'admitted';
}

/** The same about a response, absent if there is none. */
export function carryOutOn<A extends Args>(
  response: HttpResponse | undefined,
  enforcement: Enforcement<A> | undefined,
  host: MiddlewareHost<A>,
): Eventual<Admission> {
  if (!enforcement) return 'admitted';
  const { finish, extraHeaders, args } = enforcement;
  // First, because the end may come while anything else is awaited, or may have come already.
  if (finish) {
    if (host.reportsHandler?.(...args)) expectHandler(response, host, args);
    host.onEnd(finish, ...args);
  }
  return extraHeaders
    ? addExtraHeaders(extraHeaders(), response, enforcement, host)
    : takeSteps(response, enforcement, host);
}

function addExtraHeaders<A extends Args>(
  extraHeaders: Eventual<Fields>,
  response: HttpResponse | undefined,
  enforcement: Enforcement<A>,
  host: MiddlewareHost<A>,
): Eventual<Admission> {
  return whenReady(extraHeaders, (fields) => takeSteps(response, enforcement, host, fields));
}

function takeSteps<A extends Args>(
  response: HttpResponse | undefined,
  enforcement: Enforcement<A>,
  host: MiddlewareHost<A>,
  extraHeaders?: Fields,
): Eventual<Admission> {
  const { args, reservation, outdated, refuse, turn } = enforcement;
  if (reservation) host.keep(reservation, ...args);
  if (response) {
    if (outdated) removeHeaders(response, outdated);
    if (extraHeaders) addHeaders(response, extraHeaders);
    enforcement.writeTo(response);
  }
  if (refuse) return refusedBy(refuse, reservation, response);
  return turn ? takeTurn(turn, response, host, args) : 'admitted';
}

function expectHandler<A extends Args>(response: HttpResponse | undefined, host: MiddlewareHost<A>, args: A): void {
  requestPoliciesOf(host.requestOf(...args)).work.expectHandler((notify) => {
    if (response) onAnswer(response, notify);
  });
}

function refusedBy(
  refuse: NonNullable<Enforcement<Args>['refuse']>,
  decision: Decision | undefined,
  response: HttpResponse | undefined,
): Eventual<Admission> {
  const refusal = refuse(response ? watchAnswer(response) : nobodyAnswers);
  if (!isPromise(refusal)) return admissionOf(refusal, decision);
  return Promise.resolve(refusal).then((ready) => admissionOf(ready, decision));
}

const nobodyAnswers = (): boolean => false;

function admissionOf(refusal: Refusal | undefined, decision: Decision | undefined): Admission {
  return refusal ? { refusal, decision } : 'over';
}

async function takeTurn<A extends Args>(
  turn: NonNullable<Enforcement<A>['turn']>,
  response: HttpResponse | undefined,
  host: MiddlewareHost<A>,
  args: A,
): Promise<Admission> {
  const gone = new AbortController();
  const stop = host.onEnd(() => gone.abort(), ...args);
  try {
    const refused = await turn(gone.signal);
    return refused ? await takeSteps(response, refused, host) : 'admitted';
  } catch (reason) {
    // A client that has left waits for no response, and its handler does not run.
    if (gone.signal.aborted) return 'over';
    throw reason;
  } finally {
    stop();
  }
}
