import type { AddressInfo } from 'node:net';
import { describe } from '@jest/globals';
import { apiSuite } from '../../shared/test/api-suite.js';
import { createApp } from '../src/app.js';

describe('The API on Express', () => {
  apiSuite(async (options) => {
    const server = createApp(options).listen(0, '127.0.0.1');
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
