import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { hints, run, settingsFrom, urlOf } from '@sluice/example-shared';
import { AppModule } from './app.module.js';
import { configure } from './configure.js';

async function main(): Promise<void> {
  const { port, trustProxy } = settingsFrom(process.env);
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] });
  configure(app, trustProxy);
  // In-flight requests are answered; then the process exits with 0.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  await app.listen(port);
  console.log(hints(await urlOf(app.getHttpServer())));
}

run(main);
