import type { AddressInfo } from 'node:net';
import { rateLimit } from '@sluice/fastify';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Quota } from '../../contender.js';
import { plugin as fastifyRateLimit } from '../fastify-rate-limit.js';
import { headerCounter } from './header-counter.js';
import { CLIENT_FIELD, GREETING, type Serve, type Variant } from './serve.js';

/** More than there are clients: by default it remembers 5,000, and would limit none of 10,000 that take turns. */
const CACHE = 20_000;

const clientOf = (request: FastifyRequest): string => `${request.headers[CLIENT_FIELD]}`;

type Install = (app: FastifyInstance, quota: Quota) => Promise<unknown>;

const INSTALL: Readonly<Record<Exclude<Variant, 'bare route'>, Install>> = {
  async 'bare Map counter'(app, quota) {
    const count = await headerCounter(quota);
    app.addHook('onRequest', (request, reply, done) => {
      const { headers, refusal } = count(clientOf(request));
      reply.headers(headers);
      if (refusal === undefined) return done();
      reply.code(429).send(refusal);
    });
  },

  Sluice: async (app, { limit, windowMs }) =>
    app.register(rateLimit, { limit, window: windowMs, keyGenerator: clientOf }),

  peer: async (app, { limit, windowMs }) =>
    app.register(fastifyRateLimit, { max: limit, timeWindow: windowMs, keyGenerator: clientOf, cache: CACHE }),
};

export const serve: Serve = async (variant, quota) => {
  const app = fastify();
  if (variant !== 'bare route') await INSTALL[variant](app, quota);
  app.get('/', async () => GREETING);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
};
