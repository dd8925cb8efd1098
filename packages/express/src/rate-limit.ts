import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createEnforcer,
  type Enforcement,
  type HttpOptions,
  onResponseEnd,
  type PolicyHandle,
  type Refusal,
} from '@sluice/core/http';
import type { NextFunction, Request, Response } from 'express';
import { proxyTrust } from './proxy-trust.js';

/** The options of `rateLimit`; every callback gets the request and the response. */
export type RateLimitOptions = HttpOptions<[req: Request, res: Response]>;

/**
 * The middleware, and the handle of its policy. It asks nothing of a route's own types, so that the handlers behind it
 * infer them as if it were not there.
 */
export type RateLimitHandler = PolicyHandle &
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
  const { policy, reset, enforce } = createEnforcer<[req: Request, res: Response]>(options, {
    requestOf: (req) => req,
    proxyTrust,
  });
  const handler = (req: Request, res: Response, next: NextFunction): void => {
    // Without an error, next would let the request pass.
    const fail = (reason: unknown): void =>
      next(reason || new Error('A callback of rateLimit failed without a reason'));
    try {
      const enforcement = enforce(req, res);
      const done =
        enforcement instanceof Promise
          ? enforcement.then((ready) => carryOut(ready, req, res, next))
          : carryOut(enforcement, req, res, next);
      // Express 4 does not wait for promises, so what they reject with is handed on here.
      done?.then(undefined, fail);
    } catch (reason) {
      fail(reason);
    }
  };
  return Object.assign(handler, { policy, reset }) as RateLimitHandler;
}

function carryOut(
  enforcement: Enforcement | undefined,
  req: Request,
  res: Response,
  next: NextFunction,
): PromiseLike<void> | undefined {
  const { reservation, headers = {}, refuse, turn, finish } = enforcement ?? {};
  if (finish) onResponseEnd(res, finish);
  if (reservation) req.rateLimit = reservation;
  // What has begun an answer, or given one while the store was asked, has sent its headers.
  if (!res.headersSent) for (const name in headers) res.setHeader(name, headers[name] as string);
  if (refuse) return refused(refuse, res);
  if (turn) return takeTurn(turn, res, next);
  next();
  return undefined;
}

function refused(refuse: NonNullable<Enforcement['refuse']>, res: Response): PromiseLike<void> | undefined {
  const refusal = refuse(() => res.headersSent);
  if (refusal && 'then' in refusal) return refusal.then((ready) => send(ready, res));
  send(refusal, res);
  return undefined;
}

/** Past Express's own `send`, which would add to the content type and hash the body. */
function send(refusal: Refusal | undefined, res: Response): void {
  if (!refusal) return;
  res.statusCode = refusal.status;
  for (const [name, value] of Object.entries(refusal.headers)) res.setHeader(name, value);
  res.end(refusal.body);
}

function takeTurn(turn: NonNullable<Enforcement['turn']>, res: Response, next: NextFunction): Promise<void> {
  const gone = new AbortController();
  onResponseEnd(res, () => gone.abort());
  return turn(gone.signal).then(
    () => next(),
    (reason) => {
      // A client that has gone waits for no answer, and its handler is not run.
      if (!gone.signal.aborted) throw reason;
    },
  );
}
