import { type Eventual, isPromise } from '../values/eventual.js';
import { type Admission, type AdmittingHost, createAdmitter } from './admitter.js';
import type { PolicyHandle } from './enforcer.js';
import { HandlerWatch } from './handler-watch.js';
import type { Host } from './host.js';
import type { HttpOptions } from './http-options.js';
import type { HttpReservation } from './http-reservation.js';
import type { HttpRequest } from './node/request.js';
import { type HttpResponse, sendRefusal } from './node/response.js';
import { onResponseEnd } from './node/response-end.js';

type Args = readonly unknown[];

type Next = (error?: unknown) => void;

/** What an adapter says of a framework whose requests each have a response, and pass from one function to the next. */
export interface MiddlewareHost<A extends Args> extends Host<A> {
  /** The same object for every policy that a request meets. It gets the decision of the last one that counts it. */
  requestOf(...args: A): HttpRequest & { rateLimit?: HttpReservation };
  responseOf(...args: A): HttpResponse;
  /** Puts the decision where handlers find it: default the request's `rateLimit`. */
  keep?(reservation: HttpReservation, ...args: A): void;
  /** Whether a request that meets a policy for a second time passes it uncounted. */
  readonly countsOnce?: true;
  /** See `AdmittingHost`. */
  tellsOfHandler?(...args: A): boolean;
}

/** A policy that requests pass, or are answered by. */
export interface Middleware<A extends Args> extends PolicyHandle<A> {
  /** Calls `next` when the request may go on, with an error when a callback failed, and not at all when it is answered. */
  pass(next: Next, ...args: A): void;
}

/**
 * An admitter that answers refused requests itself.
 *
 * @param owner - see `createEnforcer`.
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 * @example
 * const { pass } = createMiddleware(options, host);
 * const middleware = (req, res, next) => pass(next, req, res);
 */
export function createMiddleware<A extends Args>(
  options: HttpOptions<A>,
  host: MiddlewareHost<A>,
  owner?: object,
): Middleware<A> {
  const {
    admit,
    countsByAddress: _,
    mayHoldSlots: __,
    ...handle
  } = createAdmitter(options, admittingHost(host), owner);
  const isAdmitted = (admission: Admission, args: A): boolean => {
    if (typeof admission === 'object') sendRefusal(host.responseOf(...args), admission.refusal);
    return admission === 'admitted';
  };
  // Without a closure where the answer is there at once.
  const mayPass = (next: Next, args: A): Eventual<boolean> => {
    try {
      const admission = admit(...args);
      if (!isPromise(admission)) return isAdmitted(admission, args);
      const later = Promise.resolve(admission).then((admission) => isAdmitted(admission, args));
      return later.catch((reason) => fail(next, reason));
    } catch (reason) {
      return fail(next, reason);
    }
  };

  const counted = Symbol('sluice.counted');
  /** Whether the request has met this policy before; from now on it has. */
  const isAgain = (request: object & { [counted]?: true }): boolean => {
    if (request[counted]) return true;
    request[counted] = true;
    return false;
  };

  let watch = HandlerWatch.over(options.store);

  const pass = (next: Next, ...args: A): void => {
    if (watch) watch = watch.asked(host.requestOf(...args));
    if (host.countsOnce && isAgain(host.requestOf(...args))) {
      next();
      return;
    }
    const isPassing = mayPass(next, args);
    if (isPromise(isPassing)) isPassing.then((passes) => passes && next());
    else if (isPassing) next();
  };
  return { ...handle, pass };
}

function fail(next: Next, reason: unknown): false {
  next(asError(reason));
  return false;
}

/** Without an error, next would let the request pass; and so it would in Express with 'route', which is no error to it. */
function asError(reason: unknown): object {
  const isError = typeof reason === 'object' && reason !== null;
  return isError ? reason : new Error('A callback of rateLimit failed without a reason', { cause: reason });
}

function admittingHost<A extends Args>(host: MiddlewareHost<A>): AdmittingHost<A> {
  return {
    keep: (reservation, ...args) => {
      host.requestOf(...args).rateLimit = reservation;
    },
    ...host,
    onEnd: (tell, ...args) => onResponseEnd(host.responseOf(...args), tell),
  };
}
