import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { describe } from '@jest/globals';
import { apiSuite } from '../../shared/test/api-suite.js';
import { createApp } from '../src/app.js';

describe('The API over fetch', () => {
  apiSuite(async (options) => {
    const app = createApp(options);
    const server = serve({
      fetch: (request, { incoming }) => app(request, incoming.socket.remoteAddress),
      hostname: '127.0.0.1',
      port: 0,
    }) as Server;
    await new Promise((resolve) => server.once('listening', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: async () => {
        server.closeAllConnections();
        server.close();
      },
    };
  });
});
