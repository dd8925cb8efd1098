import { Readable } from 'node:stream';
import type {
  AdapterAnswer,
  AdapterApp,
  AdapterOptions,
  AdapterTools,
  RunningAdapter,
  StartAdapter,
} from '@sluice/conformance';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { rateLimit } from '../src/index.js';

const send = (reply: FastifyReply, { status, body }: AdapterAnswer): FastifyReply =>
  reply.code(status).send(body instanceof ReadableStream ? Readable.fromWeb(body) : body);

/** What of a Fastify callback's arguments the suite reads. */
const tools: AdapterTools = {
  requestOf: ([request]) => request as FastifyRequest,
  statusOf: ([, reply]) => (reply as FastifyReply).statusCode,
  answer: ([, reply], answer) => send(reply as FastifyReply, answer),
};

/** How an application has its requests limited. */
type Limiting = (app: FastifyInstance, policies: readonly AdapterOptions[]) => Promise<void>;

/** One policy as the plugin's, several as hooks one behind the other. */
const byPlugin: Limiting = async (app, policies) => {
  const [own] = policies;
  const isChain = own === undefined || policies.length > 1;
  await app.register(rateLimit, isChain ? { global: false } : own);
  for (const each of isChain ? policies : []) app.addHook('onRequest', app.rateLimit(each));
};

/** A hook of the application awaits those of the policies, one after the other. */
export const byItself: Limiting = async (app, policies) => {
  await app.register(rateLimit, { global: false });
  const limiters = policies.map((options) => app.rateLimit(options));
  app.addHook('onRequest', async (request, reply) => {
    for (const limiter of limiters) {
      await limiter(request, reply);
      if (reply.sent) return;
    }
  });
};

/** Serves the adapter suite's applications. */
export const start: StartAdapter = (app) => startWith(byPlugin, app);

export async function startWith(
  limitRequests: Limiting,
  { policies, handle, trustsLoopback = false }: AdapterApp,
): Promise<RunningAdapter> {
  const app = fastify({ trustProxy: trustsLoopback && 'loopback' });
  await limitRequests(app, policies(tools));
  app.all('/*', async (request, reply) => {
    const { method, url: path, rateLimit: reservation } = request;
    // Awaited, so that the handler ends with its response.
    await send(reply, await handle({ method, path, rateLimit: reservation }));
  });
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    close: () => {
      app.server.closeAllConnections();
      return app.close();
    },
  };
}
