import { serveNode } from '@sluice/test-kit/serve-node';
import type { RequestOf, StartShedding } from '@sluice/test-kit/shedding-suite';
import Koa, { type Context } from 'koa';
import { rateLimit, shedLoad } from '../src/index.js';

const requestOf: RequestOf = ([ctx]) => (ctx as Context).request;

/** Takes the beginning of a path away for the rest of the application, as the mounting of applications does. */
const mountedAt =
  (prefix: string): Koa.Middleware =>
  async (ctx, next) => {
    ctx.path = ctx.path.slice(prefix.length) || '/';
    await next();
  };

/** Serves the applications of the suite with Koa. */
export const startShedding: StartShedding = async ({ mount, options, limits, handle }) => {
  const app = new Koa();
  app.silent = true;
  if (mount !== undefined) app.use(mountedAt(mount));
  app.use(shedLoad(options(requestOf)));
  for (const policy of limits?.(requestOf) ?? []) app.use(rateLimit(policy));
  app.use(async (ctx) => {
    const { method, url: path } = ctx;
    const { status, headers = {}, body } = await handle({ method, path, load: ctx.state.load });
    ctx.status = status;
    ctx.body = body;
    ctx.set(headers);
  });
  return serveNode(app.callback());
};
