import type { Server } from 'node:http';
import { afterEach } from '@jest/globals';
import type { Express } from 'express';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Serves an application until the end of the test: many requests to one server are faster than a server for each. */
export function serve(app: Express): Server {
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  return server;
}
