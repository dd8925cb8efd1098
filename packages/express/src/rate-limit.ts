// Why it is so: core/docs/why/frameworks.md

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMiddleware,
  type HttpOptions,
  type MiddlewareHost,
  onResponseEnd,
  type PolicyHandle,
  proxyTrustOf,
  type RateLimitSource,
} from '@sluice/core/http';
import type { NextFunction, Request, Response } from 'express';

/** The options of `rateLimit`. Every callback gets the request and the response. */
export type RateLimitOptions = HttpOptions<[req: Request, res: Response]>;

/**
 * The middleware, and the handle of its policy. It does not use the types of a route, so TypeScript infers them for
 * later handlers as usual.
 *
 * If you call it yourself, await it: over a store such as Redis it returns a promise, which settles after `next` has run
 * and rejects with what `next` throws. Without a response, it needs an `onLimitReached` that throws: otherwise it passes the error
 * `SLUICE_UNSUPPORTED` to `next`.
 */
export type RateLimitHandler = PolicyHandle<[req: Request, res: Response]> &
  ((req: IncomingMessage & Pick<Request, 'app'>, res: ServerResponse, next: NextFunction) => void | Promise<void>);

/**
 * Limits the requests that pass: requests above the limit get status 429, and header fields tell every client its
 * remaining quota. `req.rateLimit` is the reservation. A handler that knows the real cost can settle it.
 *
 * The result is also the handle of the policy: `limiter.reset(ipKey('203.0.113.7'))`.
 *
 * @param owner - the object that the policy's name belongs to. A limiter that is made again, with new options and the same
 * owner, counts together with the former one. Default: the options
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy
 * with this name
 * @example app.use(rateLimit({ limit: 100, window: '1m' }));
 */
export function rateLimit(
  options: RateLimitSource<[req: Request, res: Response]>,
  owner: object = options,
): RateLimitHandler {
  const { pass, ...handle } = createMiddleware(options, host, owner);
  return Object.assign(pass, handle) as RateLimitHandler;
}

const host: MiddlewareHost<[req: Request, res: Response]> = {
  requestOf: (req) => req,
  keep: (reservation, req) => {
    req.rateLimit = reservation;
  },
  onEnd: (notify, _req, res) => onResponseEnd(res, notify),
  // Fastify and other frameworks also run Express middleware. They have their own proxy settings.
  proxyTrust: proxyTrustOf,
};
