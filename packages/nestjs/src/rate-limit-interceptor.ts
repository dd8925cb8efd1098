import { type CallHandler, type ExecutionContext, HttpException, type NestInterceptor } from '@nestjs/common';
import { finalize, map, type Observable, tap } from 'rxjs';
import { COMPLETED, LEFT } from './invocation.js';
import { invocationOf } from './invocation-of.js';

/**
 * Reports the end of calls that have no HTTP response: GraphQL, WebSocket and microservices. The module adds it to
 * every class whose methods have decorators and are no routes. Add it yourself in other places.
 *
 * @example UseInterceptors(RateLimitInterceptor)(Consumer);
 */
export class RateLimitInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') return next.handle();
    const call = invocationOf(context);
    const statusOf = (error: unknown): number => (error instanceof HttpException ? error.getStatus() : 500);
    return call
      .run(() => next.handle())
      .pipe(
        map((result) => call.answered(result)),
        tap({
          complete: () => call.handled(COMPLETED),
          error: (error) => call.handled({ status: statusOf(error), aborted: false }),
        }),
        finalize(() => call.handled(LEFT)),
      );
  }
}
