import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { callOf } from './call.js';
import { type PolicyLike, policiesFor } from './decorators.js';
import type { RequestOf } from './options.js';
import { exceptionFor, RateLimitException } from './rate-limit-exception.js';
import { RateLimitService } from './rate-limit-service.js';

/**
 * Limits calls of handlers: as `APP_GUARD`, by `app.useGlobalGuards(app.get(RateLimitGuard))` or by `@UseGuards`. However
 * many of them a call meets, it is counted once. What a guard decides on may be overridden.
 *
 * @example { provide: APP_GUARD, useClass: RateLimitGuard }
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  @Inject(RateLimitService)
  protected readonly rateLimits!: RateLimitService;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = this.requestOf(context);
    const call = callOf(context);
    for (const policy of this.policiesOf(context)) {
      const admitter = this.rateLimits.policy(policy);
      if (!call.meets(admitter)) continue;
      const admission = await admitter.admit(request, context);
      if (typeof admission === 'object') {
        await this.refuse(context, new RateLimitException(admission.refusal, admission.decision));
      }
      if (admission === 'over') await standStill();
    }
    return true;
  }

  /** The request that callbacks get, whose address counts: of GraphQL the context's `req`, of WebSocket the handshake. */
  protected requestOf(context: ExecutionContext): RequestOf {
    return callOf(context).request as RequestOf;
  }

  /** The policies to ask, in this order: by default what decorators say, or else the module's own. */
  protected policiesOf(context: ExecutionContext): readonly PolicyLike[] {
    return policiesFor(context.getHandler(), context.getClass(), this.rateLimits);
  }

  /** Throws what the context's filters understand: `WsException`, `RpcException` or the exception itself. */
  protected async refuse(context: ExecutionContext, exception: RateLimitException): Promise<never> {
    throw await exceptionFor(context.getType<string>(), exception);
  }
}

/** Nobody waits for an answer: like a middleware that does not call next, neither the handler nor a filter is run. */
function standStill(): Promise<never> {
  return new Promise(() => {});
}
