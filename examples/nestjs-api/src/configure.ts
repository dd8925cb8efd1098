import type { NestExpressApplication } from '@nestjs/platform-express';

/** What the platform has to know before it serves. It reads bodies before guards run: one that it refuses is not counted. */
export function configure(app: NestExpressApplication, trustProxy: string | false): NestExpressApplication {
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy);
  app.useBodyParser('json', { limit: '1kb' });
  return app;
}
