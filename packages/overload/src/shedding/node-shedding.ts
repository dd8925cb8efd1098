import type { IncomingMessage, ServerResponse } from 'node:http';
import { isUpgraded } from '@sluice/http/node/is-upgraded';
import { onFieldsSent } from '@sluice/http/node/on-fields-sent';
import { onResponseEnd } from '@sluice/http/node/response-end';
import { sentContentType } from '@sluice/http/node/sent-content-type';
import type { LoadState, Shedder } from '../shedder.js';
import type { ShedLoadOptions } from './options.js';
import { refuseUnread } from './refuse-unread.js';
import { createShedding, type SheddingHost } from './shedding.js';

/** A request of Node, perhaps with the URL that it had before an application was mounted under a path. */
interface MountedRequest extends IncomingMessage {
  readonly originalUrl?: string;
  load?: LoadState;
}

/** Load shedding of an application whose requests pass from one function to the next. */
export interface NodeShedding<Req extends IncomingMessage, Res extends ServerResponse> {
  /** What the middleware asks about each request. */
  readonly shedder: Shedder;
  /** Calls `next` at once if the request is admitted. Otherwise it sends the refusal. */
  pass(req: Req, res: Res, next: () => void): void;
}

/**
 * Makes load shedding for a framework that has Node's own request and response, or objects that inherit from them. An
 * admitted request has the state as `req.load`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const { shedder, pass } = createNodeShedding(options);
 * const middleware = (req, res, next) => pass(req, res, next);
 */
export function createNodeShedding<Req extends IncomingMessage, Res extends ServerResponse>(
  options: ShedLoadOptions<[req: Req, res: Res]>,
): NodeShedding<Req, Res> {
  const { shedder, admit } = createShedding(options, NODE);
  const pass = (req: Req, res: Res, next: () => void): void => {
    const refusal = admit(req, res);
    if (refusal) refuseUnread(req, res, refusal);
    else next();
  };
  return { shedder, pass };
}

const NODE: SheddingHost<[req: MountedRequest, res: ServerResponse]> = {
  requestOf: (req) => req,
  urlOf: ({ originalUrl, url }) => originalUrl ?? url ?? '',
  keep: (load, req) => {
    req.load = load;
  },
  onFields: (notify, _req, res) => onFieldsSent(res, notify),
  isUpgrade: isUpgraded,
  onEnd: (notify, _req, res) => onResponseEnd(res, notify),
  contentTypeOf: (_req, res) => sentContentType(res),
};
