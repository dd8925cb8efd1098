import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Admission } from '@sluice/core/http';
import { type PolicyLike, policiesFor } from './decorators.js';
import { invocationOf } from './invocation-of.js';
import type { RequestOf } from './options.js';
import { PairCache } from './pair-cache.js';
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
  readonly #chosen = new PairCache<readonly PolicyLike[]>();

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const policies = this.policiesOf(context).map((policy) => this.rateLimits.policy(policy));
    const admission = invocationOf(context).admit(policies, [this.requestOf(context), context]);
    return admission === 'admitted' || this.#carryOut(admission, context);
  }

  async #carryOut(eventual: Admission | PromiseLike<Admission>, context: ExecutionContext): Promise<boolean> {
    const admission = await eventual;
    if (typeof admission === 'object') {
      await this.refuse(context, new RateLimitException(admission.refusal, admission.decision));
    }
    // Nobody waits for an answer: like a middleware that does not call next, neither the handler nor a filter is run.
    return admission === 'admitted' || new Promise(() => {});
  }

  /** The request that callbacks get, whose address counts: of GraphQL the context's `req`, of WebSocket the handshake. */
  protected requestOf(context: ExecutionContext): RequestOf {
    return invocationOf(context).request as RequestOf;
  }

  /** The policies to ask, in this order: by default what decorators say, or else the module's own. */
  protected policiesOf(context: ExecutionContext): readonly PolicyLike[] {
    const [handler, type] = [context.getHandler(), context.getClass()];
    return this.#chosen.of(handler, type, () => policiesFor(handler, type, this.rateLimits));
  }

  /** Throws what the context's filters understand: `WsException`, `RpcException` or the exception itself. */
  protected async refuse(context: ExecutionContext, exception: RateLimitException): Promise<never> {
    throw await exceptionFor(context.getType<string>(), exception);
  }
}
