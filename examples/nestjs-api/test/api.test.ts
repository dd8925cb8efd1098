import { describe } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { RATE_LIMIT_STORE } from '@sluice/nestjs';
import { apiSuite } from '../../shared/test/api-suite.js';
import { AppModule } from '../src/app.module.js';
import { configure } from '../src/configure.js';

describe('The API on NestJS', () => {
  apiSuite(async ({ store, trustProxy }) => {
    const builder = Test.createTestingModule({ imports: [AppModule] });
    const module = await builder.overrideProvider(RATE_LIMIT_STORE).useValue(store).compile();
    const app = configure(module.createNestApplication<NestExpressApplication>(), trustProxy);
    await app.listen(0, '127.0.0.1');
    return {
      url: await app.getUrl(),
      close: () => {
        app.getHttpServer().closeAllConnections();
        return app.close();
      },
    };
  });
});
