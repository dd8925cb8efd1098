import type { IncomingMessage } from 'node:http';
import type { StartAdapter } from '@sluice/conformance';
import { serveFetch } from '@sluice/test-kit/serve-fetch';
import { clientAddress, rateLimitOf, respond } from '../src/index.js';
import { limitOf, pathOf, responseWith, tools } from './fetch-tools.js';

/** Makes what a server of fetch calls with each request, and with the address of the connected peer. */
function handlerOf({ policies, handle, trustsLoopback = false }: Parameters<StartAdapter>[0]) {
  const limits = policies(tools).map(limitOf);
  const addressOf = clientAddress({ trustProxy: trustsLoopback ? ['127.0.0.0/8', '::1'] : [] });

  const guarded = async (request: Request, connected: string | undefined): Promise<Response> => {
    const context = { address: addressOf(request, connected) };
    for (const limit of limits) {
      const refused = await limit(request, context);
      if (refused) return refused;
    }
    const { method, url } = request;
    return respond(request, async () =>
      responseWith(await handle({ method, path: pathOf(url), rateLimit: rateLimitOf(request) })),
    );
  };

  return (request: Request, connected: string | undefined): Promise<Response> =>
    guarded(request, connected).catch(() =>
      respond(request, () => new Response('Internal Server Error', { status: 500 })),
    );
}

/** Serves the adapter suite's applications with a server of fetch on Node. */
export const start: StartAdapter = async (app) => {
  const handler = handlerOf(app);
  const fetch = (request: Request, { incoming }: { readonly incoming: Pick<IncomingMessage, 'socket'> }) =>
    handler(request, incoming.socket.remoteAddress);
  return serveFetch(fetch);
};
