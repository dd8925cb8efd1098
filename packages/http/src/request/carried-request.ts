import type { HttpRequest } from '../node/request.js';

/**
 * The property under which a framework's own object carries its request, if it is no `HttpRequest` itself: Hono's context and
 * Koa's have it. An adapter sets it before it calls a function of the user. The symbol is the same for all copies of this
 * package in a process.
 */
export const REQUEST: unique symbol = Symbol.for('sluice.request') as never;

/** An object that may carry a request. */
export interface RequestCarrier {
  /** The request that it carries. */
  [REQUEST]?: HttpRequest;
}

/**
 * Returns the request that a callback got as its first argument, in any framework: the argument itself, or the request that
 * it carries. Use it in functions that read requests and do not know the framework.
 *
 * @example const agentOf = (argument: object) => carriedRequest(argument).headers['user-agent'];
 */
export function carriedRequest(argument: RequestCarrier): HttpRequest {
  return argument[REQUEST] ?? (argument as HttpRequest);
}
