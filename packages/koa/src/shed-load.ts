import type { Shedder } from '@sluice/core/application';
import {
  createShedding,
  isUpgraded,
  leaveUnread,
  onFieldsSent,
  onResponseEnd,
  type ShedLoadOptions as SharedOptions,
  type SheddingHost,
  sentContentType,
} from '@sluice/core/http';
import type { Context, Next } from 'koa';
import { host } from './koa-host.js';
import { refuse } from './koa-response.js';

/** The options of `shedLoad`. Every callback gets Koa's context. */
export type ShedLoadOptions = SharedOptions<[ctx: Context]>;

/** The middleware, with its shedder. */
export interface ShedLoadMiddleware {
  (ctx: Context, next: Next): Promise<void>;
  /** Counts the requests in flight and reads the event loop. An `elastic` limit takes its `calm`. */
  readonly shedder: Shedder;
}

/**
 * Sheds load: while this process cannot keep up, it refuses the least important requests with status 503 and
 * `Retry-After`, so that all others are answered quickly. Put it before everything else, also before `rateLimit` and
 * before the parsers of bodies.
 *
 * `ctx.state.load` tells handlers how busy the process is. They can then answer with less.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example app.use(shedLoad({ priority: (ctx) => (ctx.path === '/pay' ? 'critical' : 'normal') }));
 */
export function shedLoad(options: ShedLoadOptions = {}): ShedLoadMiddleware {
  const { admit, shedder } = createShedding(options, sheddingHost);
  const middleware = async (ctx: Context, next: Next): Promise<void> => {
    const refusal = admit(ctx);
    if (!refusal) return next();
    leaveUnread(ctx.req, ctx.res);
    refuse(ctx, refusal);
  };
  return Object.assign(middleware, { shedder });
}

const sheddingHost: SheddingHost<[ctx: Context]> = {
  requestOf: host.requestOf,
  urlOf: ({ originalUrl }) => originalUrl,
  keep: (load, ctx) => {
    ctx.state.load = load;
  },
  onFields: (notify, ctx) => onFieldsSent(ctx.res, notify),
  isUpgrade: (ctx) => isUpgraded(ctx.req),
  onEnd: (notify, ctx) => onResponseEnd(ctx.res, notify),
  contentTypeOf: (ctx) => sentContentType(ctx.res),
};
