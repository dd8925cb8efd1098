import { SluiceError } from '@sluice/core';
import {
  carryOut,
  checkContext,
  createEnforcer,
  type Enforcement,
  type Host,
  type HttpOptions,
  optionsOf,
  type PolicyHandle,
  type RateLimitSource,
  requestPoliciesOf,
  withReturnedResponse,
} from '@sluice/core/http';
import { checkObject, type Eventual } from '@sluice/core/values';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { watchAnswer } from './answer-watch.js';
import { ContextAnswer } from './context-answer.js';
import { type FetchRequest, requestOf, runIn } from './fetch-request.js';
import { completeFields } from './header-fields.js';

/** The options of `rateLimit`. Every callback gets Hono's context. An `onLimitReached` can return the response. */
export type RateLimitOptions = HttpOptions<[c: Context]>;

/** The middleware, and the handle of its policy. */
export type RateLimitMiddleware = MiddlewareHandler & PolicyHandle<[c: Context]>;

/**
 * Limits the requests that pass: requests above the limit get status 429, and header fields tell every client its
 * remaining quota. `c.get('rateLimit')` is the reservation. A handler that knows the real cost can settle it.
 *
 * On Node it counts by address. Elsewhere set a `keyGenerator`, or use `clientAddress` before it.
 *
 * The result is also the handle of the policy: `limiter.reset(ipKey('203.0.113.7'))`.
 *
 * @param owner - the object that the policy's name belongs to. A limiter that is made again, with new options and the same
 * owner, counts together with the former one. Default: the options
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy
 * with this name
 * @example app.use(rateLimit({ limit: 100, window: '1m' }));
 */
export function rateLimit(source: RateLimitSource<[c: Context]>, owner: object = source): RateLimitMiddleware {
  checkObject(source, 'options');
  const options = withReturnedResponse<[c: Context]>(optionsOf<[c: Context]>(source), (response, c) => {
    c.res = response;
  });
  const {
    enforce,
    countsByAddress: _,
    mayHoldSlots: __,
    ...handle
  } = createEnforcer<[c: Context]>(options, host, owner);
  const middleware = async (c: Context, next: Next): Promise<Response | undefined> => {
    checkContext(handle.policy, c);
    const request = requestOf(c);
    const enforcement = await attempt(request, () => enforce(c));
    if (enforcement) return takeSteps(enforcement, request, next);
    await runIn(request, next);
    return undefined;
  };
  return Object.assign(middleware, handle);
}

const host: Host<[c: Context]> = {
  requestOf,
  proxyTrust: (c) => requestOf(c).proxyTrust,
  onEnd: (notify, c) => watchAnswer(requestOf(c), notify).stop,
};

/** Returns the response of a refusal: Hono has it already, and an application that calls the middleware itself sees that it refuses. */
async function takeSteps(
  enforcement: Enforcement<[c: Context]>,
  request: FetchRequest,
  next: Next,
): Promise<Response | undefined> {
  const { context } = request;
  // Keeps the slots of a client that has left until its handler has ended.
  const end = enforcement.finish && requestPoliciesOf(request).work.beginHandler();
  const answer = new ContextAnswer(request);
  try {
    const admission = await attempt(request, () => carryOut(enforcement, answer));
    if (admission === 'admitted') await runIn(request, next);
    else answer.refuse(admission);
    // Without a response, Hono's error handler gets an error as soon as all middleware has returned.
    if (!context.finalized) {
      answer.failed();
      return undefined;
    }
    completeFields(request);
    answer.answered();
    return admission === 'admitted' ? undefined : context.res;
  } catch (reason) {
    answer.failed();
    throw reason;
  } finally {
    end?.();
  }
}

/** Hono's `onError` gets only errors, so any other thrown value is wrapped. */
async function attempt<T>(request: FetchRequest, call: () => Eventual<T>): Promise<T> {
  try {
    return await call();
  } catch (reason) {
    throw asError(reason, request);
  }
}

function asError(reason: unknown, { isWithoutSource }: FetchRequest): Error {
  if (!(reason instanceof Error))
    return new Error('A callback of rateLimit failed without a reason', { cause: reason });
  const isWithoutKey = reason instanceof SluiceError && reason.code === 'SLUICE_KEY';
  if (!isWithoutKey || !isWithoutSource) return reason;
  return new SluiceError(
    'SLUICE_KEY',
    'the request has no key, and the runtime does not tell Hono the address of the client: set a keyGenerator, or use clientAddress({ addressOf })',
    { cause: reason },
  );
}
