import { type CallHandler, type ExecutionContext, HttpException, type NestInterceptor } from '@nestjs/common';
import type { Outcome } from '@sluice/core/http';
import { finalize, map, type Observable, tap } from 'rxjs';
import { callOf, currentCall } from './call.js';
import { watchStream } from './watch-stream.js';

const SUCCESS: Outcome = { status: 200, aborted: false };
const ABORTED: Outcome = { status: 499, aborted: true };

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
    let outcome = ABORTED;
    let isStreaming = false;
    const ended = {
      complete: () => {
        outcome = SUCCESS;
      },
      error: (error: unknown) => {
        outcome = { status: error instanceof HttpException ? error.getStatus() : 500, aborted: false };
      },
    };
    // A subscription's handler is done when it has made the stream; the call is not.
    const watched = (result: unknown): unknown => {
      const stream = watchStream(result, () => call.end(SUCCESS));
      isStreaming ||= stream !== undefined;
      return stream ?? result;
    };
    return currentCall
      .run(call, () => next.handle())
      .pipe(
        map(watched),
        tap(ended),
        finalize(() => isStreaming || call.end(outcome)),
      );
  }
}
