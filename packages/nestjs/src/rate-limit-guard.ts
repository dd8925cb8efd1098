import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Enforcement } from '@sluice/core/http';
import { type Call, callOf } from './call.js';
import { type PolicyLike, policiesFor } from './decorators.js';
import type { RequestOf } from './options.js';
import { setHeaders, watchAnswer } from './platform-response.js';
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
      const enforcer = this.rateLimits.policy(policy);
      const enforcement = call.meets(enforcer) ? await enforcer.enforce(request, context) : undefined;
      if (enforcement) await this.#carryOut(enforcement, context, call);
    }
    return true;
  }

  /** The request that callbacks get, whose address counts: of GraphQL the context's `req`, of WebSocket the handshake. */
  protected requestOf(context: ExecutionContext): RequestOf {
    return callOf(context).peer.request as RequestOf;
  }

  /** The policies to ask, in this order: by default what decorators say, or else the module's own. */
  protected policiesOf(context: ExecutionContext): readonly PolicyLike[] {
    return policiesFor(context.getHandler(), context.getClass(), this.rateLimits.defaults);
  }

  /** Throws what the context's filters understand: `WsException`, `RpcException` or the exception itself. */
  protected async refuse(context: ExecutionContext, exception: RateLimitException): Promise<never> {
    throw await exceptionFor(context.getType<string>(), exception);
  }

  async #carryOut(enforcement: Enforcement, context: ExecutionContext, call: Call): Promise<void> {
    const { reservation, headers, refuse, turn, finish } = enforcement;
    const { response } = call.peer;
    if (finish) call.finishBy(finish);
    if (reservation) call.reservation = reservation;
    if (response) setHeaders(response, headers);
    if (refuse) {
      const refusal = await refuse(watchAnswer(response));
      if (!refusal) return standStill();
      await this.refuse(context, new RateLimitException(refusal, reservation));
    }
    if (turn) await takeTurn(turn, call);
  }
}

async function takeTurn(turn: NonNullable<Enforcement['turn']>, { peer }: Call): Promise<void> {
  const gone = new AbortController();
  const stop = peer.onEnd(() => gone.abort());
  try {
    await turn(gone.signal);
  } catch (reason) {
    if (!gone.signal.aborted) throw reason;
    await standStill();
  } finally {
    stop();
  }
}

/** Nobody waits for an answer: like a middleware that does not call next, neither the handler nor a filter is run. */
function standStill(): Promise<never> {
  return new Promise(() => {});
}
