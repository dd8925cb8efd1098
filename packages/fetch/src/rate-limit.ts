import { SluiceError } from '@sluice/core';
import {
  type Admission,
  type AdmittingHost,
  CLIENT_LEFT,
  carryOut,
  createEnforcer,
  type HttpOptions,
  optionsOf,
  type PolicyHandle,
  type RateLimitSource,
  requestPoliciesOf,
  withReturnedResponse,
} from '@sluice/core/http';
import { checkObject } from '@sluice/core/values';
import { type ContextArgument, contextOf, type FetchContext } from './fetch-context.js';
import { type FetchRequest, requestOf } from './fetch-request.js';

/** What callbacks get. */
type Args<C extends FetchContext> = [request: Request, context: C];

/**
 * The options of `rateLimit`. Every callback gets the request and the context. An `onLimitReached` can return the response.
 */
export type RateLimitOptions<C extends FetchContext = FetchContext> = HttpOptions<[request: Request, context: C]>;

/** The guard, and the handle of its policy. */
export interface RateLimitGuard<C extends FetchContext = FetchContext>
  extends PolicyHandle<[request: Request, context: C]> {
  /**
   * Decides about a request. Resolves with the response to send if the request is refused. Undefined means that it is admitted: then
   * call `respond`, which adds the header fields to the response of your handler.
   *
   * @throws SluiceError `SLUICE_KEY` if the request has neither a key nor an address
   */
  (request: Request, ...context: ContextArgument<C>): Promise<Response | undefined>;
}

/**
 * Makes a limit for handlers of fetch. Call it with each request, before the handler: it resolves with a response of status 429 for a
 * request above the limit, and with undefined for all others.
 *
 * It counts by address, which you pass as `address` of the context: a `Request` has none. Or set a `keyGenerator`.
 *
 * The result is also the handle of the policy: `limit.reset(ipKey('203.0.113.7'))`.
 *
 * @param owner - the object that the policy's name belongs to. A limiter that is made again, with new options and the same
 * owner, counts together with the former one. Default: the options
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy
 * with this name
 * @example
 * const limit = rateLimit({ limit: 100, window: '1m' });
 * const refused = await limit(request, { address });
 * return refused ?? respond(request, () => new Response('hello'));
 */
export function rateLimit<C extends FetchContext = FetchContext>(
  source: RateLimitSource<[request: Request, context: C]>,
  owner: object = source,
): RateLimitGuard<C> {
  checkObject(source, 'options');
  const options = withReturnedResponse<Args<C>>(optionsOf<Args<C>>(source), (response, request) => {
    requestOf(request).returned = response;
  });
  const { enforce, countsByAddress: _, mayHoldSlots: __, ...handle } = createEnforcer<Args<C>>(options, host, owner);
  const guard = async (request: Request, ...rest: ContextArgument<C>): Promise<Response | undefined> => {
    if (!request) throw withoutRequest(handle.policy);
    const context = contextOf<C>(rest);
    const fetchRequest = requestOf(request, context);
    fetchRequest.returned = undefined;
    try {
      const enforcement = await enforce(request, context);
      // Keeps the slots of a client that has left until its handler has ended.
      if (enforcement?.finish) fetchRequest.ends.handlerEnds(requestPoliciesOf(fetchRequest).work.beginHandler());
      const admission = await carryOut<Args<C>>(enforcement, host);
      return admission === 'admitted' ? undefined : fetchRequest.refuse(responseTo(fetchRequest, admission));
    } catch (reason) {
      fetchRequest.fail(fetchRequest.takeEnds());
      throw explained(reason, fetchRequest);
    }
  };
  return Object.assign(guard, handle);
}

/** What `@sluice/core/http` asks about a request, and how it writes the response to it. */
const host: AdmittingHost<[request: Request, context: FetchContext]> = {
  requestOf,
  responseOf: (request) => requestOf(request).fields,
  proxyTrust: (request) => requestOf(request).proxyTrust,
  onEnd: (notify, request) => requestOf(request).ends.watch(request, notify),
  keep: (reservation, request) => {
    requestOf(request).rateLimit = reservation;
  },
};

/** Returns the error of an application that calls the guard without a request. */
function withoutRequest(policy: string): SluiceError {
  const message = `the policy ${JSON.stringify(policy)} was called without a request: pass it`;
  return new SluiceError('SLUICE_UNSUPPORTED', message);
}

/** Returns the response to a request that is not admitted. */
function responseTo({ returned }: FetchRequest, admission: Exclude<Admission, 'admitted'>): Response {
  // Without a response of a callback, the client has left.
  if (admission === 'over') return returned ?? new Response(null, { status: CLIENT_LEFT });
  const { body, status, headers } = admission.refusal;
  return new Response(body, { status, headers });
}

/** Says how to tell the address of a client, if that is what the request lacks. */
function explained(reason: unknown, request: FetchRequest): unknown {
  const isWithoutKey = reason instanceof SluiceError && reason.code === 'SLUICE_KEY';
  if (!isWithoutKey || request.ip !== undefined) return reason;
  return new SluiceError(
    'SLUICE_KEY',
    'the request has no key, and the context does not say the address of the client: pass { address }, or set a keyGenerator',
    { cause: reason },
  );
}
