import { knownChainOf, onAnswer } from '@sluice/core/http';
import type { FastifyContextConfig, FastifyReply, RouteHandlerMethod, RouteOptions } from 'fastify';

/** On the config of a route whose handler tells of its beginning and its end. */
const WATCHED = Symbol('sluice.watched');

/** Makes the handler of a route tell when it begins and ends, where a request of it holds a slot. */
export function watchHandler(route: RouteOptions): void {
  if (isWatched(route.config)) return;
  route.config = Object.assign({ ...route.config }, { [WATCHED]: true });
  route.handler = watched(route.handler);
}

/** Whether a route, by its config, has such a handler. Routes that were added before the plugin have none. */
export function isWatched(config: (FastifyContextConfig & { [WATCHED]?: true }) | undefined): boolean {
  return config?.[WATCHED] === true;
}

function watched(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function (request, reply) {
    const chain = knownChainOf(request);
    if (!chain?.holdsSlots) return handler.call(this, request, reply);
    return run(() => handler.call(this, request, reply), reply, chain.work.beginHandler());
  };
}

/**
 * Runs a handler, and tells when it has ended: a promise when it is settled; what gives no promise, or waits for the reply,
 * when it answers, also if the client has left by then.
 */
function run(handle: () => unknown, reply: FastifyReply, end: () => void): unknown {
  let hasReturned = false;
  let hasAnswered = false;
  let answersLater = false;
  const look = (): void => {
    if (hasReturned && (hasAnswered || !answersLater)) end();
  };
  onAnswer(reply, () => {
    hasAnswered = true;
    look();
  });
  const { then } = reply;
  // biome-ignore lint/suspicious/noThenProperty: a reply has one, which whatever awaits it calls.
  reply.then = (...callbacks) => {
    answersLater = true;
    then.apply(reply, callbacks);
  };
  const returned = (): void => {
    hasReturned = true;
    look();
  };
  try {
    const result = handle();
    if (result === reply || !isPromise(result)) {
      answersLater = true;
      returned();
      return result;
    }
    // Some libraries run a query anew whenever its `then` is called.
    const promise = Promise.resolve(result);
    promise.then(returned, returned);
    return promise;
  } catch (error) {
    end();
    throw error;
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
