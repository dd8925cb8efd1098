import { type Eventual, isPromise, whenReady } from '../values/eventual.js';
import { type Admission, type AdmittingHost, carryOut, carryOutOn } from './carry-out.js';
import { createDecider } from './decider.js';
import { cancelAndThrow, type Enforcement } from './enforcement.js';
import { optionsOf, type RateLimitSource } from './limiter-options.js';
import { type NodeResponse, sendRefusal } from './node/response.js';
import type { PolicyHandle } from './policy-handle.js';
import { requestPoliciesOf } from './request-policies.js';
import { checkWithoutResponse, endUnknown, refusalUnsent } from './without-response.js';

type Args = readonly unknown[];

type Next = (error?: unknown) => void;

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
 * Makes an enforcer whose decisions are carried out, refusals included. Use it if requests pass from one function to the next.
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

  /** Nobody tells when a request without a response ends. */
  const withoutEnd = (enforcement: Enforcement | undefined, args: A): Eventual<Enforcement | undefined> => {
    const needsEnd = enforcement?.finish || enforcement?.turn;
    return needsEnd ? cancelAndThrow(requestPoliciesOf(host.requestOf(...args)), endUnknown(policy)) : enforcement;
  };
  const decideWithoutResponse = (args: A): Eventual<Enforcement | undefined> => {
    checkWithoutResponse(policy, optionsOf<A>(source));
    return whenReady(decide(args), (enforcement) => withoutEnd(enforcement, args));
  };
  const passLater = async (later: Eventual<Admission>, next: Next, args: A): Promise<void> => {
    let admission: Admission;
    try {
      admission = await later;
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
      const enforcement = response ? decide(args) : decideWithoutResponse(args);
      if (enforcement instanceof Promise) return passLater(carryOut(enforcement, host, args), next, args);
      admission = enforcement ? carryOutOn(response, enforcement as Enforcement, host, args) : 'admitted';
      if (admission !== 'admitted') {
        if (isPromise(admission)) return passLater(admission, next, args);
        answer(admission, args);
      }
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
