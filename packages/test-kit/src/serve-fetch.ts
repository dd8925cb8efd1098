import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';

/** A server of fetch on a free port of the loopback interface. */
interface FetchServer {
  readonly url: string;
  /** Also ends connections that are open. */
  close(): Promise<void>;
}

type Options = Parameters<typeof serve>[0];

/**
 * Serves a function of fetch, as frameworks over fetch are served on Node.
 *
 * @param further - options of the server
 */
export async function serveFetch(
  fetch: Options['fetch'],
  further: Pick<Options, 'websocket'> = {},
): Promise<FetchServer> {
  const server = await new Promise<ServerType>((resolve) => {
    const listening = serve({ fetch, hostname: '127.0.0.1', port: 0, ...further }, () => resolve(listening));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
