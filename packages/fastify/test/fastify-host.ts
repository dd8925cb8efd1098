import type { AdapterAnswer, AdapterTools, StartAdapter } from '@sluice/core/testing';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { rateLimit } from '../src/index.js';

const send = (reply: FastifyReply, { status, body }: AdapterAnswer): FastifyReply => reply.code(status).send(body);

/** What of a Fastify callback's arguments the suite reads. */
const tools: AdapterTools = {
  requestOf: ([request]) => request as FastifyRequest,
  statusOf: ([, reply]) => (reply as FastifyReply).statusCode,
  answer: ([, reply], answer) => send(reply as FastifyReply, answer),
};

/** Serves the adapter suite's applications: one policy as the plugin's, several as hooks one behind the other. */
export const start: StartAdapter = async ({ policies, handle, trustsLoopback = false }) => {
  const app = fastify({ trustProxy: trustsLoopback && 'loopback' });
  const options = policies(tools);
  const [own] = options;
  const isChain = own === undefined || options.length > 1;
  await app.register(rateLimit, isChain ? { global: false } : own);
  for (const each of isChain ? options : []) app.addHook('onRequest', app.rateLimit(each));
  app.all('/*', async (request, reply) => {
    const { method, url: path, rateLimit: reservation } = request;
    return send(reply, await handle({ method, path, rateLimit: reservation }));
  });
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    tellsOfHandlers: true,
    close: () => {
      app.server.closeAllConnections();
      return app.close();
    },
  };
};
