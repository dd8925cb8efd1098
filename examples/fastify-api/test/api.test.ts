import { describe } from '@jest/globals';
import { apiSuite } from '../../shared/test/api-suite.js';
import { createApp } from '../src/app.js';

describe('The API on Fastify', () => {
  apiSuite(async (options) => {
    const app = await createApp(options);
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return {
      url,
      close: () => {
        app.server.closeAllConnections();
        return app.close();
      },
    };
  });
});
