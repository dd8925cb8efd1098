import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Admission } from '@sluice/core/http';
import { type PolicyLike, policiesFor } from './decorators.js';
import { invocationOf } from './invocation-of.js';
import type { RequestOf } from './options.js';
import { PairCache } from './pair-cache.js';
import { exceptionFor, RateLimitException } from './rate-limit-exception.js';
import { RateLimitService } from './rate-limit-service.js';

/**
 * Limits calls of handlers. Use it as `APP_GUARD`, with `app.useGlobalGuards(app.get(RateLimitGuard))` or with
 * `@UseGuards`. A call that passes several of them is counted once. You can override its protected methods.
 *
 * @example { provide: APP_GUARD, useClass: RateLimitGuard }
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  /** The policies of the application, for guards of yours that extend this one. */
  @Inject(RateLimitService)
  protected readonly rateLimits!: RateLimitService;
  readonly #chosen = new PairCache<readonly PolicyLike[]>();
  // Made once, because a request needs no closures.
  readonly #choose = (handler: object, type: object): readonly PolicyLike[] =>
    policiesFor(handler, type, this.rateLimits);
  readonly #handleOf = (policy: PolicyLike) => this.rateLimits.policy(policy);

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const policies = this.policiesOf(context).map(this.#handleOf);
    const admission = invocationOf(context).admit(policies, [this.requestOf(context), context]);
    return admission === 'admitted' || this.#carryOut(admission, context);
  }

  async #carryOut(eventual: Admission | PromiseLike<Admission>, context: ExecutionContext): Promise<boolean> {
    const admission = await eventual;
    if (typeof admission === 'object') {
      await this.refuse(context, new RateLimitException(admission.refusal, admission.decision));
    }
    // Nobody waits for a response. As after a middleware that does not call next, neither the handler nor a filter
    // runs.
    return admission === 'admitted' || new Promise(() => {});
  }

  /**
   * Returns the request that callbacks get and whose address counts: the context's `req` in GraphQL, the handshake in a
   * WebSocket.
   */
  protected requestOf(context: ExecutionContext): RequestOf {
    return invocationOf(context).request as RequestOf;
  }

  /** Returns the policies to ask, in this order. Default: those of the decorators, or else the module's own policy. */
  protected policiesOf(context: ExecutionContext): readonly PolicyLike[] {
    return this.#chosen.of(context.getHandler(), context.getClass(), this.#choose);
  }

  /**
   * Throws an exception that the filters of the context understand: `WsException`, `RpcException`, or the exception
   * itself.
   */
  protected async refuse(context: ExecutionContext, exception: RateLimitException): Promise<never> {
    throw await exceptionFor(context.getType<string>(), exception);
  }
}
