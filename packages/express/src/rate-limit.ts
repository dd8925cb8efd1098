import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMiddleware,
  type HttpOptions,
  type MiddlewareHost,
  onResponseEnd,
  type PolicyHandle,
  proxyTrustOf,
} from '@sluice/core/http';
import type { NextFunction, Request, Response } from 'express';
import { keepFor } from './request-property.js';

/** The options of `rateLimit`; every callback gets the request and the response. */
export type RateLimitOptions = HttpOptions<[req: Request, res: Response]>;

/**
 * The middleware, and the handle of its policy. It asks nothing of a route's own types, so that the handlers behind it
 * infer them as if it were not there.
 */
export type RateLimitHandler = PolicyHandle<[req: Request, res: Response]> &
  ((req: IncomingMessage & Pick<Request, 'app'>, res: ServerResponse, next: NextFunction) => void);

/**
 * Limits the requests that pass here: answers those above the limit with 429, and tells every client in header fields
 * how it stands. `req.rateLimit` is the reservation, to be settled by handlers that know the real cost.
 *
 * What it returns is also the policy's handle: `limiter.reset(ipKey('203.0.113.7'))`.
 *
 * @throws SluiceError `SLUICE_OPTION` for a wrong option, `SLUICE_DUPLICATE_NAME` when the store has another policy of
 * this name
 * @example app.use(rateLimit({ limit: 100, window: '1m' }));
 */
export function rateLimit(options: RateLimitOptions): RateLimitHandler {
  const { pass, ...handle } = createMiddleware(options, host);
  const handler = (req: Request, res: Response, next: NextFunction): void => pass(next, req, res);
  return Object.assign(handler, handle) as RateLimitHandler;
}

const host: MiddlewareHost<[req: Request, res: Response]> = {
  requestOf: (req) => req,
  responseOf: (_req, res) => res,
  keep: keepFor,
  onEnd: (tell, _req, res) => onResponseEnd(res, tell),
  // Fastify and others run Express middleware, too. What they trust is theirs to know.
  proxyTrust: proxyTrustOf,
};
