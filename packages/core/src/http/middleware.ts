// Why it is so: docs/why/http-steps.md

import type { Decision } from '../values/decision.js';
import { answering, type Eventual, isPromise, whenReady } from '../values/eventual.js';
import { createDecider } from './decider.js';
import { cancelAndThrow, type DecidedRequest, type Enforcement } from './enforcement.js';
import { type FollowUp, isDecidedRequest } from './follow-up.js';
import { retryAfterSeconds } from './headers/retry-after.js';
import type { Host } from './host.js';
import type { HttpReservation } from './http-reservation.js';
import { optionsOf, type RateLimitSource } from './limiter-options.js';
import {
  addHeaders,
  type HttpResponse,
  isAnswered,
  type NodeResponse,
  onAnswer,
  removeHeaders,
  sendRefusal,
  setHeaders,
  watchAnswer,
  writeFields,
} from './node/response.js';
import type { Outcome } from './node/response-end.js';
import type { Enforcer, PolicyHandle } from './policy-handle.js';
import type { Refusal } from './problem.js';
import { standardRefusal } from './refused-request.js';
import { requestPoliciesOf } from './request-policies.js';
import { checkWithoutResponse, endUnknown, refusalUnsent } from './without-response.js';

type Args = readonly unknown[];

/** How an adapter writes the responses of its framework. */
export interface AdmittingHost<A extends Args> extends Host<A> {
  /** Returns the object to set header fields on; absent if there is none. */
  responseOf(...args: A): HttpResponse | undefined;
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

/** The response to a refused request. It has no decision if no limit was asked. */
export interface Refused {
  readonly refusal: Refusal;
  readonly decision: Decision | undefined;
}

/**
 * The result for a request. `'over'` means that it has a response, or that nobody waits for one: then do nothing more.
 */
export type Admission = 'admitted' | 'over' | Refused;

/** A policy that admits or refuses requests, and lets the adapter send the refusal. */
export interface Admitter<A extends Args> extends Omit<Enforcer<A>, 'enforce'> {
  /** The result is no promise if nothing has to be awaited. */
  admit(...args: A): Eventual<Admission>;
}

/**
 * Makes an enforcer that also takes the steps that are the same in all frameworks: set the header fields, keep the
 * reservation for the handler, call `onLimitReached`, wait for a turn, finish. Use it if a refusal is returned or
 * thrown. Use `createMiddleware` if requests pass from one function to the next.
 *
 * @param owner - see `createEnforcer`
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 * @example
 * const admission = await createAdmitter(options, host).admit(req, context);
 * if (typeof admission === 'object') sendRefusal(res, admission.refusal);
 */
export function createAdmitter<A extends Args>(
  source: RateLimitSource<A>,
  host: AdmittingHost<A>,
  owner: object = source,
): Admitter<A> {
  const { decide, isAsync, ...policy } = createDecider(source, host, owner);
  const admit = (...args: A): Eventual<Admission> => {
    const followUp = decide(args);
    if (!isPromise(followUp)) return carryOut(followUp, host, args);
    return whenReady(followUp, (ready) => carryOut(ready, host, args));
  };
  return { ...policy, admit: answering(isAsync, admit) };
}

function carryOut<A extends Args>(
  followUp: FollowUp<A> | undefined,
  host: AdmittingHost<A>,
  args: A,
): Eventual<Admission> {
  if (!followUp) return 'admitted';
  return isDecidedRequest(followUp) ? carryOutDecided(followUp, host, args) : begin(followUp, host, args);
}

/** Sets the fields, written straight to the response, and keeps the reservation. There is nothing else to do. */
function carryOutDecided<A extends Args>(decided: DecidedRequest<A>, host: AdmittingHost<A>, args: A): Admission {
  const { compiled, reservation, items, ownItems, outdated } = decided;
  const response = host.responseOf(...args);
  host.keep(reservation, ...args);
  if (response && outdated) removeHeaders(response, outdated);
  if (reservation.allowed) {
    if (response) writeFields(response, compiled, items);
    return 'admitted';
  }
  const seconds = retryAfterSeconds(ownItems);
  if (response) writeFields(response, compiled, items, seconds);
  return response && isAnswered(response)
    ? 'over'
    : { refusal: standardRefusal(decided, seconds), decision: reservation };
}

/**
 * Listens for the end of the request first, because it may come while anything else is awaited, or may have come
 * already.
 */
function begin<A extends Args>(enforcement: Enforcement, host: AdmittingHost<A>, args: A): Eventual<Admission> {
  const { finish, extraHeaders } = enforcement;
  if (finish) {
    if (host.reportsHandler?.(...args)) expectHandler(host, args);
    host.onEnd(finish, ...args);
  }
  if (!extraHeaders) return takeSteps(enforcement, host, args);
  return whenReady(extraHeaders(), (fields) => takeSteps(enforcement, host, args, fields));
}

function takeSteps<A extends Args>(
  { reservation, headers, outdated, refuse, turn }: Enforcement,
  host: AdmittingHost<A>,
  args: A,
  extraHeaders?: Readonly<Record<string, string>>,
): Eventual<Admission> {
  const response = host.responseOf(...args);
  if (reservation) host.keep(reservation, ...args);
  if (response) {
    if (outdated) removeHeaders(response, outdated);
    if (extraHeaders) addHeaders(response, extraHeaders);
    setHeaders(response, headers);
  }
  if (refuse) return refusedBy(refuse, reservation, response);
  return turn ? takeTurn(turn, host, args) : 'admitted';
}

function expectHandler<A extends Args>(host: AdmittingHost<A>, args: A): void {
  const response = host.responseOf(...args);
  requestPoliciesOf(host.requestOf(...args)).work.expectHandler((notify) => {
    if (response) onAnswer(response, notify);
  });
}

async function refusedBy(
  refuse: NonNullable<Enforcement['refuse']>,
  decision: Decision | undefined,
  response: HttpResponse | undefined,
): Promise<Admission> {
  const isAnswered = response ? watchAnswer(response) : () => false;
  const refusal = await refuse(isAnswered);
  return refusal ? { refusal, decision } : 'over';
}

async function takeTurn<A extends Args>(
  turn: NonNullable<Enforcement['turn']>,
  host: AdmittingHost<A>,
  args: A,
): Promise<Admission> {
  const gone = new AbortController();
  const stop = host.onEnd(() => gone.abort(), ...args);
  try {
    const refused = await turn(gone.signal);
    return refused ? await takeSteps(refused, host, args) : 'admitted';
  } catch (reason) {
    // A client that has left waits for no response, and its handler does not run.
    if (gone.signal.aborted) return 'over';
    throw reason;
  } finally {
    stop();
  }
}

type Next = (error?: unknown) => void;

const itself = (admission: Admission): Admission => admission;

/**
 * How an adapter reads and writes in a framework over Node's HTTP whose requests pass from one function to the next.
 */
export interface MiddlewareHost<A extends Args> extends AdmittingHost<A> {
  /** Absent if an application calls the middleware itself, without one. */
  responseOf(...args: A): NodeResponse | undefined;
}

/** A policy that requests pass, or that responds to them. */
export interface Middleware<A extends Args> extends PolicyHandle<A> {
  /**
   * Calls `next` if the request may go on. Calls it with an error if a callback failed. Does not call it if there is a
   * response. Returns a promise if anything has to be awaited: it settles after `next` has run, and rejects with what
   * `next` throws. Otherwise it has done all of it when it returns, and throws what `next` throws.
   */
  pass(next: Next, ...args: A): Promise<void> | undefined;
}

/**
 * Makes an admitter that also sends refusals.
 *
 * @param owner - see `createEnforcer`
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 * @example
 * const { pass } = createMiddleware(options, host);
 * const middleware = (req, res, next) => pass(next, req, res);
 */
export function createMiddleware<A extends Args>(
  source: RateLimitSource<A>,
  host: MiddlewareHost<A>,
  owner: object = source,
): Middleware<A> {
  const { decide, isAsync: _, countsByAddress: __, mayHoldSlots: ___, ...handle } = createDecider(source, host, owner);
  const { policy } = handle;

  const answer = (admission: Admission, args: A): void => {
    if (typeof admission !== 'object') return;
    const response = host.responseOf(...args);
    if (!response) throw refusalUnsent(policy, admission.refusal.status);
    sendRefusal(response, admission.refusal);
  };

  const carryOutWithoutResponse: typeof carryOut<A> = (followUp, _, args) => {
    const needsEnd = followUp && !isDecidedRequest(followUp) && (followUp.finish || followUp.turn);
    return needsEnd
      ? cancelAndThrow(requestPoliciesOf(host.requestOf(...args)), endUnknown(policy))
      : carryOut(followUp, host, args);
  };

  const passLater = async <T>(
    step: PromiseLike<T>,
    admissionOf: (done: T, host: MiddlewareHost<A>, args: A) => Eventual<Admission>,
    next: Next,
    args: A,
  ): Promise<void> => {
    let admission: Admission;
    try {
      admission = await admissionOf(await step, host, args);
      // Inside, because writing to a response may fail.
      answer(admission, args);
    } catch (reason) {
      next(asError(reason));
      return;
    }
    if (admission === 'admitted') next();
  };

  const pass = (next: Next, ...args: A): Promise<void> | undefined => {
    let admission: Eventual<Admission>;
    try {
      const response = host.responseOf(...args);
      if (!response) checkWithoutResponse(policy, optionsOf<A>(source));
      const steps = response ? carryOut<A> : carryOutWithoutResponse;
      const followUp = decide(args);
      if (isPromise(followUp)) return passLater(followUp, steps, next, args);
      admission = steps(followUp, host, args);
      if (isPromise(admission)) return passLater(admission, itself, next, args);
      answer(admission, args);
    } catch (reason) {
      next(asError(reason));
      return undefined;
    }
    if (admission === 'admitted') next();
    return undefined;
  };
  return { ...handle, pass };
}

/** Without an error, `next` would let the request pass. So would Express with 'route', which is no error to it. */
function asError(reason: unknown): object {
  const isError = typeof reason === 'object' && reason !== null;
  return isError ? reason : new Error('A callback of rateLimit failed without a reason', { cause: reason });
}
