import { Readable } from 'node:stream';
import type { AdapterAnswer, AdapterTools, StartAdapter } from '@sluice/conformance';
import { serveNode } from '@sluice/test-kit/serve-node';
import Koa, { type Context } from 'koa';
import { rateLimit } from '../src/index.js';

function send(ctx: Context, { status, body }: AdapterAnswer): void {
  ctx.status = status;
  ctx.body = body instanceof ReadableStream ? Readable.fromWeb(body) : body;
}

/** The arguments of a callback that the suite reads. */
const tools: AdapterTools = {
  requestOf: ([ctx]) => (ctx as Context).request,
  statusOf: ([ctx]) => (ctx as Context).status,
  answer: ([ctx], answer) => send(ctx as Context, answer),
};

/** Serves the adapter suite's applications with Koa. */
export const start: StartAdapter = async ({ policies, handle, trustsLoopback = false }) => {
  const app = new Koa();
  app.silent = true;
  app.proxy = trustsLoopback;
  if (trustsLoopback) app.maxIpsCount = 1;
  for (const options of policies(tools)) app.use(rateLimit(options));
  app.use(async (ctx) => {
    send(ctx, await handle({ method: ctx.method, path: ctx.url, rateLimit: ctx.state.rateLimit }));
  });
  return serveNode(app.callback());
};
