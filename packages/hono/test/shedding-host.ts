import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type ServerType, serve } from '@hono/node-server';
import type { RequestOf, StartShedding } from '@sluice/test-kit/shedding-suite';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { rateLimit, shedLoad } from '../src/index.js';

const pathOf = (url: string): string => url.slice(url.indexOf('/', 8));

const requestOf: RequestOf = ([c]) => {
  const { url, raw } = (c as Context).req;
  return { url: pathOf(url), headers: Object.fromEntries(raw.headers) };
};

/** Serves the applications of the suite with Hono on Node. */
export const startShedding: StartShedding = async ({ mount, options, limits, handle }) => {
  const app = new Hono();
  app.onError((_error, c) => c.text('Internal Server Error', 500));
  app.use(shedLoad(options(requestOf)));
  for (const policy of limits?.(requestOf) ?? []) app.use(rateLimit(policy));
  app.all('*', async (c) => {
    const { method, url } = c.req;
    const { status, headers, body } = await handle({ method, path: pathOf(url), load: c.get('load') });
    const content = body instanceof Readable ? (Readable.toWeb(body) as ReadableStream) : body;
    return c.body(content, status as ContentfulStatusCode, headers);
  });
  const listening = await new Promise<ServerType>((resolve) => {
    const { fetch } = mount === undefined ? app : new Hono().mount(mount, app.fetch);
    const starting = serve({ fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(starting));
  });
  const server = listening as Server;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
};
