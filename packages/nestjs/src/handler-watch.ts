import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { Handler } from './handler.js';
import { HandlerRun } from './handler-run.js';
import { invocationOf } from './invocation-of.js';

/** What `@UseInterceptors` leaves on a method. */
const INTERCEPTORS = '__interceptors__';

/** What `@Sse` leaves on a method. */
const SSE = '__sse__';

const running = new AsyncLocalStorage<HandlerRun>();

/**
 * Tells when a handler begins and ends, where its call holds a slot. It stands behind all other interceptors, since one of these may
 * give up on a handler that goes on, as a timeout does. A socket gives up on its handlers when its client leaves.
 */
const HANDLER_WATCH: NestInterceptor = {
  intercept: (context, next) => {
    const { chain } = invocationOf(context);
    return chain.holdsSlots ? watched(context, next, chain.work.beginHandler()) : next.handle();
  },
};

function watched(context: ExecutionContext, next: CallHandler, end: () => void): Observable<unknown> {
  const run = new HandlerRun(end, Reflect.hasMetadata(SSE, context.getHandler()));
  const handled = running.run(run, () => next.handle());
  return new Observable((subscriber) => {
    subscriber.add(() => run.giveUp());
    subscriber.add(
      handled.subscribe({
        next: (value) => {
          run.settled();
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
  if (others.includes(HANDLER_WATCH)) return;
  Reflect.defineMetadata(INTERCEPTORS, [...others, HANDLER_WATCH], method);
  watchCalls(method);
}

/**
 * Has a run told what Nest gets from the handler: a promise is settled though Nest has given up on it, and tells nobody then.
 * Nest calls handlers by `apply`. The function itself stays what it is, since others know it by that.
 */
function watchCalls(method: Handler['method']): void {
  if (typeof method !== 'function' || !Object.isExtensible(method)) return;
  const { apply } = method;
  Object.defineProperty(method, 'apply', {
    value: (that: unknown, args: unknown[]): unknown => {
      const handle = (): unknown => apply.call(method, that, args);
      const run = running.getStore();
      return run ? run.follow(handle) : handle();
    },
    configurable: true,
    writable: true,
  });
}

/** Whether the end of a handler is told. */
export function isWatched(context: ExecutionContext): boolean {
  const interceptors: readonly unknown[] = Reflect.getMetadata(INTERCEPTORS, context.getHandler()) ?? [];
  return interceptors.includes(HANDLER_WATCH);
}
