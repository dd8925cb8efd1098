import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { Handler } from './handler.js';
import { HandlerRun } from './handler-run.js';
import { invocationOf } from './invocation-of.js';

/** The metadata key of `@UseInterceptors` on a method. */
const INTERCEPTORS = '__interceptors__';

/** The metadata key of `@Sse` on a method. */
const SSE = '__sse__';

const running = new AsyncLocalStorage<HandlerRun>();

/**
 * Reports when a handler begins and ends, if its call holds a slot. It comes after all other interceptors, because one
 * of them may give up on a handler that continues, such as a timeout. A socket gives up on its handlers when its client
 * leaves.
 */
const HANDLER_WATCH: NestInterceptor = {
  intercept: (context, next) => {
    const { policies } = invocationOf(context);
    return policies.holdsSlots ? watched(context, next, policies.work.beginHandler()) : next.handle();
  },
};

function watched(context: ExecutionContext, next: CallHandler, end: () => void): Observable<unknown> {
  const run = new HandlerRun(end, Reflect.hasMetadata(SSE, context.getHandler()));
  const handled = running.run(run, () => next.handle());
  return new Observable((subscriber) => {
    subscriber.add(() => run.abandon());
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

/** Makes a handler report its end. */
export function watchHandler({ method }: Handler): void {
  const others: readonly unknown[] = Reflect.getMetadata(INTERCEPTORS, method) ?? [];
  if (others.includes(HANDLER_WATCH)) return;
  Reflect.defineMetadata(INTERCEPTORS, [...others, HANDLER_WATCH], method);
  watchCalls(method);
}

/**
 * Makes a run report what Nest gets from the handler. If Nest has given up on a promise, the promise still settles, but
 * nobody is told. Nest calls handlers with `apply`. The function itself is not replaced, because others identify the
 * handler by it.
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

/** Whether the handler reports its end. */
export function isWatched(context: ExecutionContext): boolean {
  const interceptors: readonly unknown[] = Reflect.getMetadata(INTERCEPTORS, context.getHandler()) ?? [];
  return interceptors.includes(HANDLER_WATCH);
}
