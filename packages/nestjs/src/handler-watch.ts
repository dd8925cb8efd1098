import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import { callOf } from './call.js';
import type { Handler } from './handler.js';

/** What `@UseInterceptors` leaves on a method. */
const INTERCEPTORS = '__interceptors__';

/** What `@Sse` leaves on a method. */
const SSE = '__sse__';

/**
 * Tells when a handler begins and ends, where its call holds a slot. It stands behind all other interceptors, since one of these may
 * give up on a handler that goes on, as a timeout does.
 */
const HANDLER_WATCH: NestInterceptor = {
  intercept: (context, next) => {
    const { chain } = callOf(context);
    return chain.holdsSlots ? watched(context, next, chain.work.beginHandler()) : next.handle();
  },
};

function watched(context: ExecutionContext, next: CallHandler, end: () => void): Observable<unknown> {
  return new Observable((subscriber) => {
    // A handler that was given up on before it gave anything may be a promise, which goes on. Nobody tells when it is settled.
    let isStream = Reflect.hasMetadata(SSE, context.getHandler());
    subscriber.add(() => isStream && end());
    subscriber.add(
      next.handle().subscribe({
        next: (value) => {
          isStream = true;
          subscriber.next(value);
        },
        error: (error) => {
          end();
          subscriber.error(error);
        },
        complete: () => {
          end();
          subscriber.complete();
        },
      }),
    );
  });
}

/** Has the end of a handler told. */
export function watchHandler({ method }: Handler): void {
  const others: readonly unknown[] = Reflect.getMetadata(INTERCEPTORS, method) ?? [];
  if (!others.includes(HANDLER_WATCH)) Reflect.defineMetadata(INTERCEPTORS, [...others, HANDLER_WATCH], method);
}

/** Whether the end of a handler is told. */
export function isWatched(context: ExecutionContext): boolean {
  const interceptors: readonly unknown[] = Reflect.getMetadata(INTERCEPTORS, context.getHandler()) ?? [];
  return interceptors.includes(HANDLER_WATCH);
}
