import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Shedder } from '@sluice/core/application';
import { createNodeShedding, type ShedLoadOptions as SharedOptions } from '@sluice/core/http';
import type { NextFunction, Request, Response } from 'express';

/** The options of `shedLoad`. Every callback gets the request and the response. */
export type ShedLoadOptions = SharedOptions<[req: Request, res: Response]>;

/** The middleware, with its shedder. */
export interface ShedLoadHandler {
  (req: IncomingMessage & Pick<Request, 'app'>, res: ServerResponse, next: NextFunction): void;
  /** Counts the requests in flight and reads the event loop. An `elastic` limit takes its `calm`. */
  readonly shedder: Shedder;
}

/**
 * Sheds load: while this process cannot keep up, it refuses the least important requests with status 503 and
 * `Retry-After`, so that all others are answered quickly. Put it before everything else, also before `rateLimit` and
 * before the parsers of bodies.
 *
 * `req.load` tells handlers how busy the process is. They can then answer with less.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example app.use(shedLoad({ priority: (req) => (req.path === '/pay' ? 'critical' : 'normal') }));
 */
export function shedLoad(options: ShedLoadOptions = {}): ShedLoadHandler {
  const { shedder, pass } = createNodeShedding(options);
  const handler = (req: Request, res: Response, next: NextFunction): void => pass(req, res, next);
  return Object.assign(handler, { shedder }) as ShedLoadHandler;
}
