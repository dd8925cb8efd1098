import { answering, type Eventual, isPromise } from '../values/eventual.js';
import { type Admission, type AdmittingHost, carryOut } from './carry-out.js';
import { createDecider } from './decider.js';
import { cancelAndThrow } from './enforcement.js';
import { optionsOf, type RateLimitSource } from './limiter-options.js';
import { type NodeResponse, sendRefusal } from './node/response.js';
import type { Enforcer, PolicyHandle } from './policy-handle.js';
import { requestPoliciesOf } from './request-policies.js';
import { checkWithoutResponse, endUnknown, refusalUnsent } from './without-response.js';

type Args = readonly unknown[];

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
    const enforcement = decide(args);
    if (!isPromise(enforcement)) return carryOut(enforcement, host, args);
    return Promise.resolve(enforcement).then((ready) => carryOut(ready, host, args));
  };
  return { ...policy, admit: answering(isAsync, admit) };
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

  const carryOutWithoutResponse: typeof carryOut<A> = (enforcement, _, args) => {
    const needsEnd = enforcement?.finish || enforcement?.turn;
    return needsEnd
      ? cancelAndThrow(requestPoliciesOf(host.requestOf(...args)), endUnknown(policy))
      : carryOut(enforcement, host, args);
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
      const enforcement = decide(args);
      if (isPromise(enforcement)) return passLater(enforcement, steps, next, args);
      admission = steps(enforcement, host, args);
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
