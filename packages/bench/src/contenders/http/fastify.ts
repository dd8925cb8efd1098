import type { AddressInfo } from 'node:net';
import { rateLimit } from '@sluice/fastify';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Quota } from '../../contender.js';
import { plugin as fastifyRateLimit } from '../fastify-rate-limit.js';
import { headerCounter } from './header-counter.js';
import { CLIENT_FIELD, GREETING, type Identity, PROXIES, type Serve, type Variant } from './serve.js';

/** More than there are clients: by default it remembers 5,000, and would limit none of 10,000 that take turns. */
const CACHE = 20_000;

const CLIENT_OF: Readonly<Record<Identity, (request: FastifyRequest) => string>> = {
  address: ({ ip }) => ip,
  header: ({ headers }) => `${headers[CLIENT_FIELD]}`,
};

/** By address, everybody does what they do by default. */
const keyOf = (identity: Identity) => (identity === 'header' ? { keyGenerator: CLIENT_OF.header } : {});

type Install = (app: FastifyInstance, quota: Quota, identity: Identity) => Promise<unknown>;

const INSTALL: Readonly<Record<Exclude<Variant, 'bare route'>, Install>> = {
  async 'bare Map counter'(app, quota, identity) {
    const count = await headerCounter(quota);
    const clientOf = CLIENT_OF[identity];
    app.addHook('onRequest', (request, reply, done) => {
      const { headers, refusal } = count(clientOf(request));
      reply.headers(headers);
      if (refusal === undefined) return done();
      reply.code(429).send(refusal);
    });
  },

  Sluice: async (app, { limit, windowMs }, identity) =>
    app.register(rateLimit, { limit, window: windowMs, ...keyOf(identity) }),

  peer: async (app, { limit, windowMs }, identity) =>
    app.register(fastifyRateLimit, { max: limit, timeWindow: windowMs, ...keyOf(identity), cache: CACHE }),
};

const serveBy =
  (make: (trustProxy: false | string[]) => FastifyInstance): Serve =>
  async (variant, quota, identity) => {
    const app = make(identity === 'address' && PROXIES);
    if (variant !== 'bare route') await INSTALL[variant](app, quota, identity);
    app.get('/', async () => GREETING);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
  };

export const serve = serveBy((trustProxy) => fastify({ trustProxy }));

/** The types of Fastify tell apart by what it listens. */
export const serveHttp2 = serveBy((trustProxy) => fastify({ trustProxy, http2: true }) as unknown as FastifyInstance);
