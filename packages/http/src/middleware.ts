import { type Eventual, isPromise, whenReady } from '@sluice/core/src/values/eventual';
import { createDecider } from './deciding/decider.js';
import type { PolicyHandle } from './deciding/policy-handle.js';
import { type Admission, carryOutOn, type MiddlewareHost } from './enforcement/carry-out.js';
import { cancelAndThrow, type Enforcement } from './enforcement/enforcement.js';
import { sendRefusal } from './node/answer.js';
import type { NodeResponse } from './node/response.js';
import { optionsOf, type RateLimitSource } from './options/limiter-options.js';
import { requestPoliciesOf } from './request/policies-of-request.js';
import { checkWithoutResponse, endUnknown, refusalUnsent } from './without-response.js';

/** The arguments of a framework over Node's HTTP whose requests pass from one function to the next. */
type Args = readonly [request: unknown, response: NodeResponse];

type Next = (error?: unknown) => void;

/** A policy that requests pass, or that responds to them. */
export interface Middleware<A extends Args> extends PolicyHandle<A> {
  /**
   * Calls `next` if the request may go on. Calls it with an error if a callback failed. Does not call it if there is a
   * response. Returns a promise if anything has to be awaited: it settles after `next` has run, and rejects with what
   * `next` throws. Otherwise it has done all of it when it returns, and throws what `next` throws.
   *
   * @param response - undefined if an application calls the middleware itself, without one
   */
  pass(request: A[0], response: A[1] | undefined, next: Next): Promise<void> | undefined;
}

/**
 * Makes an enforcer whose decisions are carried out, refusals included. Use it if requests pass from one function to the next.
 *
 * @param owner - see `createEnforcer`
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 * @example
 * const { pass } = createMiddleware(options, host);
 * app.use((req, res, next) => pass(req, res, next));
 */
export function createMiddleware<A extends Args>(
  source: RateLimitSource<A>,
  host: MiddlewareHost<A>,
  owner: object = source,
): Middleware<A> {
  const { decide, handle } = createDecider(source, host, owner);
  const { policy } = handle;

  const answer = (admission: Admission, [, response]: A): void => {
    if (typeof admission !== 'object') return;
    if (!response) throw refusalUnsent(policy, admission.refusal.status);
    sendRefusal(response, admission.refusal);
  };

  /** Nobody tells when a request without a response ends. */
  const withoutEnd = (enforcement: Enforcement<A> | undefined, args: A): Eventual<Enforcement<A> | undefined> => {
    const needsEnd = enforcement?.finish || enforcement?.turn;
    return needsEnd ? cancelAndThrow(requestPoliciesOf(host.requestOf(...args)), endUnknown(policy)) : enforcement;
  };
  const decideWithoutResponse = (args: A): Eventual<Enforcement<A> | undefined> => {
    checkWithoutResponse(policy, optionsOf<A>(source));
    return whenReady(decide(args), (enforcement) => withoutEnd(enforcement, args));
  };

  /** The rest of `pass`, from the first promise on: that of the admission, or else that of the enforcement. */
  const passLater = async (
    enforcement: Eventual<Enforcement<A> | undefined>,
    carriedOut: Eventual<Admission> | undefined,
    args: A,
    next: Next,
  ): Promise<void> => {
    let admission = carriedOut;
    try {
      admission ??= carryOutOn(args[1], await enforcement, host);
      if (admission !== 'admitted') {
        if (isPromise(admission)) admission = await admission;
        // Inside, because writing to a response may fail.
        answer(admission, args);
      }
    } catch (reason) {
      next(asError(reason));
      return;
    }
    if (admission === 'admitted') next();
  };

  const pass = (request: A[0], response: A[1] | undefined, next: Next): Promise<void> | undefined => {
    const args = [request, response] as readonly unknown[] as A;
    let admission: Eventual<Admission>;
    try {
      const enforcement = response ? decide(args) : decideWithoutResponse(args);
      if (enforcement instanceof Promise) return passLater(enforcement, undefined, args, next);
      admission = carryOutOn(response, enforcement as Enforcement<A> | undefined, host);
      if (admission !== 'admitted') {
        if (isPromise(admission)) return passLater(undefined, admission, args, next);
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
