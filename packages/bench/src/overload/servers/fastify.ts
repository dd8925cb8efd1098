import type { AddressInfo } from 'node:net';
import underPressure from '@fastify/under-pressure';
import { shedLoad } from '@sluice/fastify';
import fastify, { type FastifyInstance } from 'fastify';
import toobusy from 'toobusy-js';
import { ANSWER, BUSY, type Front, KEEP_ALIVE_MS, sheddingOf } from '../protection.js';
import type { Serve } from './index.js';

const INSTALL: Readonly<Record<Front, (app: FastifyInstance) => void>> = {
  none() {},

  // The utilization is that of its README. The delay there is 1 s, with which every answer would be too late.
  '@fastify/under-pressure'(app) {
    app.register(underPressure, {
      maxEventLoopUtilization: 0.98,
      eventLoopUtilizationMode: 'interval',
      maxEventLoopDelay: 100,
    });
  },

  'toobusy-js'(app) {
    app.addHook('onRequest', (_request, reply, done) => {
      if (toobusy()) reply.code(BUSY.status).send(BUSY.body);
      else done();
    });
  },

  'own 503'(app) {
    app.addHook('onRequest', (_request, reply) => void reply.code(BUSY.status).send(BUSY.body));
  },

  shedLoad: shed('shedLoad'),
  "shedLoad's 503": shed("shedLoad's 503"),
};

function shed(front: Front): (app: FastifyInstance) => void {
  return (app) => void app.register(shedLoad(sheddingOf(front)));
}

export const serve: Serve = async (front, handler) => {
  const app = fastify({ keepAliveTimeout: KEEP_ALIVE_MS });
  INSTALL[front](app);
  app.get('/', async () => {
    await handler();
    return ANSWER;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
};
