import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonRouteOptions, jsonRoutes } from '../../src/descriptors/json-route.js';
import { requestListener } from '../../src/http/router.js';
import { callerCheck } from '../../src/trust/caller-check.js';

/** A server with `POST /json` alone. */
export async function startJson({
  service,
  callers = callerCheck({ callTokens: [], trustedProxies: [] }),
  ...options
}: Omit<JsonRouteOptions, 'callers'> & Partial<Pick<JsonRouteOptions, 'callers'>>) {
  const errors: unknown[] = [];
  const server = createServer(
    requestListener(jsonRoutes({ service, callers, ...options }), (error) => void errors.push(error)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/json`;
  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, post, errors, stop };
}
