import { onAnswer, passedPoliciesOf } from '@sluice/core/http';
import { isPromise } from '@sluice/core/values';
import type { FastifyContextConfig, FastifyReply, RouteHandlerMethod, RouteOptions } from 'fastify';

/** Marks the config of a route whose handler reports its beginning and its end. */
const WATCHED = Symbol('sluice.watched');

/** Makes the handler of a route report its beginning and its end, if its request holds a slot. */
export function watchHandler(route: RouteOptions): void {
  if (isWatched(route.config)) return;
  route.config = Object.assign({ ...route.config }, { [WATCHED]: true });
  route.handler = watched(route.handler);
}

/** Whether a route has such a handler. Routes that were added before the plugin have none. */
export function isWatched(config: (FastifyContextConfig & { [WATCHED]?: true }) | undefined): boolean {
  return config?.[WATCHED] === true;
}

function watched(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function (request, reply) {
    const policies = passedPoliciesOf(request);
    if (!policies?.holdsSlots) return handler.call(this, request, reply);
    return run(() => handler.call(this, request, reply), reply, policies.work.beginHandler());
  };
}

/**
 * Runs a handler, and reports when it has ended. A promise ends when it is settled. A handler without a promise, or one
 * that awaits the reply, ends when it responds, even if the client has left by then.
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
  // biome-ignore lint/suspicious/noThenProperty: a reply has one, and awaiting the reply calls it.
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
    // Some libraries run a query again whenever its `then` is called.
    const promise = Promise.resolve(result);
    promise.then(returned, returned);
    return promise;
  } catch (error) {
    end();
    throw error;
  }
}
