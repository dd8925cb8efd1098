import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { LoadSheddingModule } from '@sluice/nestjs';
import type { Handler } from '../handlers.js';
import { ANSWER, KEEP_ALIVE_MS, priorityOf } from '../protection.js';
import { refuseIfTooBusy } from './express.js';
import type { Serve } from './index.js';

const HANDLER = Symbol('handler');

@Controller()
class Worker {
  readonly #handler: Handler;

  constructor(@Inject(HANDLER) handler: Handler) {
    this.#handler = handler;
  }

  @Get()
  async work(): Promise<typeof ANSWER> {
    await this.#handler();
    return ANSWER;
  }
}

export const serve: Serve = async (protection, handler) => {
  const imports = protection === 'shedLoad' ? [LoadSheddingModule.forRoot({ priority: priorityOf })] : [];

  @Module({ imports, controllers: [Worker], providers: [{ provide: HANDLER, useValue: handler }] })
  class App {}

  const app = await NestFactory.create<NestExpressApplication>(App, { logger: false });
  if (protection === 'toobusy-js') app.use(refuseIfTooBusy);
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return (server.address() as AddressInfo).port;
};
