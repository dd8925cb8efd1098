import type { Shedder } from '@sluice/core/application';
import {
  createShedding,
  isUpgraded,
  onFieldsSent,
  type ShedLoadOptions as SharedOptions,
  type SheddingHost,
  type ShedRefusal,
  sentContentType,
} from '@sluice/core/http';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { watchAnswer } from './answer-watch.js';
import { type FetchRequest, requestOf, runIn } from './fetch-request.js';
import { leaveBody } from './leave-body.js';

/** The options of `shedLoad`. Every callback gets Hono's context. */
export type ShedLoadOptions = SharedOptions<[c: Context]>;

/** The middleware, with its shedder. */
export type ShedLoadMiddleware = MiddlewareHandler & {
  /** Counts the requests in flight and reads the event loop. An `elastic` limit takes its `calm`. */
  readonly shedder: Shedder;
};

/**
 * Sheds load: while this process cannot keep up, it refuses the least important requests with status 503 and
 * `Retry-After`, so that all others are answered quickly. Put it before everything else, also before `rateLimit`.
 *
 * `c.get('load')` tells handlers how busy the process is. They can then answer with less.
 *
 * It needs the event loop of Node. A runtime without it does not tell how long requests wait. There, set `loop: false`:
 * then requests in flight are limited, and nothing else is seen.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` without `loop: false` on a runtime that does not count the turns
 * of its event loop
 * @example app.use(shedLoad({ priority: (c) => (c.req.path === '/pay' ? 'critical' : 'normal') }));
 */
export function shedLoad(options: ShedLoadOptions = {}): ShedLoadMiddleware {
  const { admit, shedder } = createShedding(options, host);
  const middleware: MiddlewareHandler = async (c, next) => {
    const refusal = admit(c);
    const request = requestOf(c);
    if (refusal) {
      if (request.node) leaveBody(request.node);
      return responseOf(refusal, c);
    }
    const { shedding } = request;
    request.shedding = undefined;
    // Awaited and not returned: Hono's next resolves with the context, which would be taken for a response if there is none.
    await (shedding ? untilAnswered(shedding, request, next) : runIn(request, next));
    return undefined;
  };
  return Object.assign(middleware, { shedder });
}

const host: SheddingHost<[c: Context]> = {
  requestOf,
  urlOf: (c) => requestOf(c).wholeUrl,
  keep: (load, c) => c.set('load', load),
  onFields: (notify, c) => {
    const request = requestOf(c);
    if (request.node?.outgoing) onFieldsSent(request.node.outgoing, notify);
    else request.shedding = { ...request.shedding, fieldsKnown: notify };
  },
  onEnd: (notify, c) => {
    const request = requestOf(c);
    const watch = watchAnswer(request, (outcome) => notify(asksForUpgrade(c) ? { ...outcome, status: 101 } : outcome));
    if (!request.node?.outgoing) request.shedding = { ...request.shedding, watch };
  },
  isUpgrade: (c) => {
    const { node } = requestOf(c);
    return node !== undefined && isUpgraded(node.incoming);
  },
  contentTypeOf: (c) => {
    const { node } = requestOf(c);
    return node?.outgoing ? sentContentType(node.outgoing) : (c.res.headers.get('content-type') ?? undefined);
  },
};

function responseOf({ body, status, headers }: ShedRefusal, c: Context): Response {
  return c.body(body, status as ContentfulStatusCode, headers);
}

async function untilAnswered(
  { watch, fieldsKnown }: NonNullable<FetchRequest['shedding']>,
  request: FetchRequest,
  next: Next,
): Promise<void> {
  try {
    await runIn(request, next);
    if (!request.context.finalized) return watch?.failed();
    fieldsKnown?.();
    watch?.answered();
  } catch (reason) {
    watch?.failed();
    throw reason;
  }
}

/** Whether the response may have made a WebSocket of the connection. Runtimes other than Node need not say so by its status. */
function asksForUpgrade(c: Context): boolean {
  return !requestOf(c).node && c.req.header('upgrade') !== undefined;
}
