import { EVERYWHERE } from '@sluice/example-shared';
import { clientAddress, MemoryStore, rateLimit, respond, type Store } from '@sluice/fetch';
import { notFound, sendError, sendJson } from './answers.js';
import { downloads } from './downloads.js';
import { login } from './login.js';
import { quotes } from './quotes.js';
import { report } from './report.js';
import type { Route } from './route.js';

export interface AppOptions {
  /** Where requests are counted; also its clock is the application's. Default: in memory. */
  store?: Store;
  /** Whose `X-Forwarded-For` is believed: addresses and ranges with commas between them, or `'loopback'`. Default: nobody's. */
  trustProxy?: string | false;
}

/** Answers a request, which has come from the address of the connected peer. */
export type App = (request: Request, connected: string | undefined) => Promise<Response>;

/** The whole API over one store, so that a test can drive it with a clock of its own. */
export function createApp({ store = new MemoryStore(), trustProxy = false }: AppOptions = {}): App {
  const addressOf = clientAddress({ trustProxy: proxiesOf(trustProxy) });
  const everywhere = rateLimit({ name: 'everywhere', limit: EVERYWHERE, store });
  const routes: Readonly<Record<string, Route>> = {
    'GET /': () => sendJson({ hello: 'world' }),
    'POST /login': login(store),
    'GET /report': report(store),
    'GET /export': downloads(store),
    ...quotes(store),
  };

  const limited = async (request: Request, path: string, address: string | undefined): Promise<Response> => {
    const refused = await everywhere(request, { address });
    const route = routes[`${request.method} ${path}`] ?? notFound;
    return refused ?? respond(request, () => route(request, address));
  };

  return async (request, connected) => {
    const { pathname } = new URL(request.url);
    // Before the limit, which counts all that comes after it.
    if (pathname === '/health') return sendJson({ status: 'up' });
    try {
      return await limited(request, pathname, addressOf(request, connected));
    } catch (error) {
      return respond(request, () => sendError(error));
    }
  };
}

function proxiesOf(trustProxy: string | false): string[] {
  if (!trustProxy) return [];
  return trustProxy === 'loopback' ? ['127.0.0.0/8', '::1'] : trustProxy.split(/\s*,\s*/);
}
