import {
  carryOut,
  checkContext,
  createEnforcer,
  type HttpOptions,
  type PolicyHandle,
  type RateLimitSource,
  requestPoliciesOf,
} from '@sluice/core/http';
import type { Context, Next } from 'koa';
import { host } from './koa-host.js';
import { type KoaError, KoaResponse, refuse } from './koa-response.js';

/** The options of `rateLimit`. Every callback gets Koa's context. An `onLimitReached` can set the response. */
export type RateLimitOptions = HttpOptions<[ctx: Context]>;

/** The middleware, and the handle of its policy. */
export interface RateLimitMiddleware extends PolicyHandle<[ctx: Context]> {
  (ctx: Context, next: Next): Promise<void>;
}

/**
 * Limits the requests that pass: requests above the limit get status 429, and header fields tell every client its
 * remaining quota. `ctx.state.rateLimit` is the reservation. A handler that knows the real cost can settle it.
 *
 * The result is also the handle of the policy: `limiter.reset(ipKey('203.0.113.7'))`.
 *
 * @param owner - the object that the policy's name belongs to. A limiter that is made again, with new options and the same
 * owner, counts together with the former one. Default: the options
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy
 * with this name
 * @example app.use(rateLimit({ limit: 100, window: '1m' }));
 */
export function rateLimit(options: RateLimitSource<[ctx: Context]>, owner: object = options): RateLimitMiddleware {
  const { enforce, countsByAddress: _, mayHoldSlots: __, ...handle } = createEnforcer(options, host, owner);
  const middleware = async (ctx: Context, next: Next): Promise<void> => {
    checkContext(handle.policy, ctx);
    const response = new KoaResponse(ctx);
    // A slot is kept until the handler has ended, even if the client has disconnected.
    const end = requestPoliciesOf(ctx.request).work.beginHandler();
    try {
      const admission = await carryOut(enforce(ctx), response);
      if (admission === 'admitted') await next();
      else if (admission !== 'over') refuse(ctx, admission.refusal);
    } catch (reason) {
      throw response.withFields(asError(reason));
    } finally {
      end();
    }
  };
  return Object.assign(middleware, handle);
}

/** Koa takes null and undefined for no error, and would never respond. */
function asError(reason: unknown): KoaError {
  return typeof reason === 'object' && reason !== null ? reason : new Error('A function failed', { cause: reason });
}
