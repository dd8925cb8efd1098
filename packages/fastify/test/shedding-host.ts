import type { StartShedding } from '@sluice/test-kit/shedding-suite';
import fastify, { type FastifyRequest } from 'fastify';
import { rateLimit, shedLoad } from '../src/index.js';

/** Serves the applications of the suite. */
export const startShedding: StartShedding = async ({ mount = '', options, limits, handle }) => {
  const app = fastify();
  await app.register(shedLoad(options(([request]) => request as FastifyRequest)));
  await app.register(rateLimit, { global: false });
  for (const policy of limits?.(([request]) => request as FastifyRequest) ?? []) {
    app.addHook('onRequest', app.rateLimit(policy));
  }
  await app.register(
    async (scope) => {
      scope.all('/*', async (request, reply) => {
        const { method, url: path, load } = request;
        const { status, headers = {}, body } = await handle({ method, path, load });
        return reply.code(status).headers(headers).send(body);
      });
    },
    { prefix: mount },
  );
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    server: app.server,
    close: () => {
      app.server.closeAllConnections();
      return app.close();
    },
  };
};
