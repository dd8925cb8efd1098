import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { LoadSheddingModule } from '@sluice/nestjs';
import type { Handler } from '../handlers.js';
import { ANSWER, isShedding, KEEP_ALIVE_MS, sheddingOf } from '../protection.js';
import { MIDDLEWARE } from './express.js';
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

export const serve: Serve = async (front, handler) => {
  const imports = isShedding(front) ? [LoadSheddingModule.forRoot(sheddingOf(front))] : [];

  @Module({ imports, controllers: [Worker], providers: [{ provide: HANDLER, useValue: handler }] })
  class App {}

  const app = await NestFactory.create<NestExpressApplication>(App, { logger: false });
  const middleware = MIDDLEWARE[front];
  if (middleware) app.use(middleware);
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return (server.address() as AddressInfo).port;
};
