import {
  createMiddleware,
  type HttpOptions,
  type LimiterOptions,
  type Middleware,
  type MiddlewareHost,
  onResponseEnd,
  type PolicyHandle,
  proxyTrustOf,
} from '@sluice/core/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isWatched } from './handler-watch.js';
import type { HookArguments } from './options.js';

type Done = (error?: Error) => void;

/** The same as policies call it. */
export type Next = (error?: unknown) => void;

/** A hook for any phase before the handler. */
export interface Hook {
  (request: FastifyRequest, reply: FastifyReply, done: Done): void;
  (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void;
}

/** A hook with its own policy, and the handle of that policy. */
export type RateLimitHook = Hook & PolicyHandle<HookArguments>;

/** Adapts a hook to all phases. Only in preParsing there is a payload before `done`. */
export function inAnyPhase(hook: (request: FastifyRequest, reply: FastifyReply, done: Done) => void): Hook {
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown, done = payload) =>
    hook(request, reply, done as Done);
}

/**
 * Makes a policy.
 *
 * @param owner - the object that the user wrote, from which the options were made
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 */
export function policyOf(
  options: HttpOptions<HookArguments> | LimiterOptions<HookArguments>,
  owner: object,
): Middleware<HookArguments> {
  return createMiddleware(options, host, owner);
}

/** Makes a hook of a policy. It counts a request once. */
export function hookOf({ pass, ...handle }: Middleware<HookArguments>): RateLimitHook {
  const counted = Symbol('sluice.counted');
  const hook = inAnyPhase((request: FastifyRequest & { [counted]?: true }, reply, done) => {
    // A request that is passed to a 404 handler passes the hooks of its scope again.
    if (request[counted]) return done();
    request[counted] = true;
    pass(done as Next, request, reply);
  });
  return Object.assign(hook, handle);
}

const host: MiddlewareHost<HookArguments> = {
  requestOf: (request) => request,
  responseOf: (_request, reply) => reply,
  keep: (reservation, request) => {
    request.rateLimit = reservation;
  },
  onEnd: (tell, _request, reply) => onResponseEnd(reply, tell),
  proxyTrust: proxyTrustOf,
  tellsOfHandler: (request) => isWatched(request.routeOptions.config),
};
