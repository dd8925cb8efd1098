import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { serve as listen } from '@hono/node-server';
import { clientAddress, rateLimit } from '@sluice/hono';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Quota } from '../../contender.js';
import { headerCounter } from './header-counter.js';
import { CLIENT_FIELD, GREETING, type Identity, type Serve, type Variant } from './serve.js';

/** The proxies that all servers trust. There are no names of ranges here. */
const RANGES = ['127.0.0.0/8', '10.0.0.0/8'];

/** Hono itself knows no proxies. */
const CLIENT_OF: Readonly<Record<Identity, (c: Context) => string>> = {
  address: (c) => c.req.header('x-forwarded-for') ?? '',
  header: (c) => c.req.header(CLIENT_FIELD) ?? '',
};

type Make = (quota: Quota, identity: Identity) => Promise<readonly MiddlewareHandler[]>;

const MIDDLEWARE: Readonly<Record<Exclude<Variant, 'bare route' | 'peer'>, Make>> = {
  async 'bare Map counter'(quota, identity) {
    const count = await headerCounter(quota);
    const clientOf = CLIENT_OF[identity];
    const limited: MiddlewareHandler = async (c, next) => {
      const { headers, refusal } = count(clientOf(c));
      for (const name in headers) c.header(name, headers[name]);
      if (refusal !== undefined) return c.body(refusal, 429);
      return next();
    };
    return [limited];
  },

  Sluice: async ({ limit, windowMs }, identity) =>
    identity === 'header'
      ? [rateLimit({ limit, window: windowMs, keyGenerator: CLIENT_OF.header })]
      : [clientAddress({ trustProxy: RANGES }), rateLimit({ limit, window: windowMs })],
};

const serveBy =
  (protocol: object): Serve =>
  async (variant, quota, identity) => {
    if (variant === 'peer') throw new Error('Nobody else is compared on Hono');
    const app = new Hono();
    if (variant !== 'bare route') for (const one of await MIDDLEWARE[variant](quota, identity)) app.use(one);
    app.get('/', (c) => c.json(GREETING));
    const server = listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', ...protocol });
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  };

export const serve = serveBy({});

export const serveHttp2 = serveBy({ createServer });
