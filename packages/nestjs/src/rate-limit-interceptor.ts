import { type CallHandler, type ExecutionContext, HttpException, type NestInterceptor } from '@nestjs/common';
import { COMPLETED, LEFT, type Outcome, watchStream } from '@sluice/core/http';
import { finalize, map, type Observable, tap } from 'rxjs';
import { callOf, currentCall } from './call.js';

/**
 * Tells how a call has ended of which no HTTP response tells: of GraphQL, WebSocket and microservices. The module provides it
 * for all handlers; where Nest heeds no global interceptor, it stands beside the guard.
 *
 * @example UseInterceptors(RateLimitInterceptor)(ChatGateway);
 */
export class RateLimitInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') return next.handle();
    const call = callOf(context);
    let isStreaming = false;
    // A subscription's handler is done when it has made the stream; the call is not.
    const watched = (result: unknown): unknown => {
      const stream = watchStream(result, () => call.end(COMPLETED));
      isStreaming ||= stream !== undefined;
      return stream ?? result;
    };
    const end = (outcome: Outcome): void => {
      if (!isStreaming) call.end(outcome);
    };
    const statusOf = (error: unknown): number => (error instanceof HttpException ? error.getStatus() : 500);
    return currentCall
      .run(call, () => next.handle())
      .pipe(
        map(watched),
        tap({
          complete: () => end(COMPLETED),
          error: (error) => end({ status: statusOf(error), aborted: false }),
        }),
        finalize(() => end(LEFT)),
      );
  }
}
