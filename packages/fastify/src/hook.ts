// Why it is so: core/docs/why/frameworks.md

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
interface Hook {
  (request: FastifyRequest, reply: FastifyReply, done: Done): void;
  (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void;
}

/** A hook with its own policy, and the handle of that policy. */
export type RateLimitHook = Hook & AwaitedHook & PolicyHandle<HookArguments>;

/**
 * A hook that an asynchronous hook of the application awaits. It resolves when the request may go on, or when it has been
 * refused and the response has ended: then `reply.sent` is true. It rejects if a callback fails. If the client leaves, it
 * does neither, and nothing more runs for the request.
 */
type AwaitedHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

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
  const passOnce = (request: FastifyRequest & { [counted]?: true }, reply: FastifyReply, next: Next) => {
    // A request that is passed to a 404 handler passes the hooks of its scope again.
    if (request[counted]) return next();
    request[counted] = true;
    return pass(request, reply, next);
  };
  const hook = (request: FastifyRequest, reply: FastifyReply, payload?: unknown, done = payload) => {
    if (done === undefined) return passOrEnd(passOnce, request, reply);
    // Fastify goes on twice if a hook calls `done` and also returns a promise.
    void passOnce(request, reply, done as Next);
    return undefined;
  };
  return Object.assign(hook as Hook & AwaitedHook, handle);
}

/** Resolves when a request may go on, or has its response. */
async function passOrEnd(
  pass: (request: FastifyRequest, reply: FastifyReply, next: Next) => unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  let goesOn = false;
  const next = (error?: unknown): void => {
    if (error !== undefined) throw error;
    goesOn = true;
  };
  await pass(request, reply, next);
  if (goesOn) return;
  await reply;
  // As after a hook that does not call `done`, nothing runs for a client that has left.
  if (!reply.sent) await new Promise(() => {});
}

const host: MiddlewareHost<HookArguments> = {
  requestOf: (request) => request,
  keep: (reservation, request) => {
    request.rateLimit = reservation;
  },
  onEnd: (notify, _request, reply) => onResponseEnd(reply, notify),
  proxyTrust: proxyTrustOf,
  reportsHandler: (request) => isWatched(request.routeOptions.config),
};
