import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { All, Controller, type ExecutionContext, Module, Req, Res, UseGuards } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { AdapterAnswer, AdapterTools, StartAdapter } from '@sluice/conformance';
import type { HttpRequest } from '@sluice/core/http';
import express, { type Response } from 'express';
import type { FastifyReply } from 'fastify';
import {
  CurrentRateLimit,
  type HttpReservation,
  RateLimit,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitOptions,
  SkipRateLimit,
} from '../src/index.js';

/** How the adapter suite's users would answer on a platform. */
type Send = (response: object, answer: AdapterAnswer) => unknown;

const onExpress: Send = (response, { status, body }) => {
  const res = (response as Response).status(status);
  // Awaited, so that the handler ends with its response. The client sees what breaks off.
  if (body instanceof ReadableStream) return pipeline(Readable.fromWeb(body), res).catch(() => {});
  return res.send(body);
};

const onFastify: Send = (response, { status, body }) =>
  (response as FastifyReply).code(status).send(body instanceof ReadableStream ? Readable.fromWeb(body) : body);

const responseOf = (args: readonly unknown[]): { statusCode: number } =>
  (args[1] as ExecutionContext).switchToHttp().getResponse();

const toolsFor = (send: Send): AdapterTools => ({
  requestOf: ([request]) => request as HttpRequest,
  statusOf: (args) => responseOf(args).statusCode,
  answer: (args, answer) => send(responseOf(args), answer),
});

function startWith(
  createAdapter: (trustsLoopback: boolean) => AbstractHttpAdapter,
  send: Send,
  paths: string[],
): StartAdapter {
  return async ({ policies, handle, trustsLoopback = false }) => {
    const all: readonly RateLimitOptions[] = policies(toolsFor(send));
    // The one without a name is the module's own.
    const own = all.find(({ name }) => name === undefined);
    const [first = 'default', ...others] = all.map((options) => (options === own ? 'default' : options));

    @Controller()
    @UseGuards(RateLimitGuard)
    class Handler {
      @All(paths)
      @(all.length > 0 ? RateLimit(first, ...others) : SkipRateLimit())
      async handle(@Req() req: HttpRequest, @Res() res: object, @CurrentRateLimit() rateLimit?: HttpReservation) {
        await send(res, await handle({ method: req.method, path: req.url, rateLimit }));
      }
    }

    @Module({ imports: [RateLimitModule.forRoot({ ...own })], controllers: [Handler] })
    class App {}

    const app = await NestFactory.create(App, createAdapter(trustsLoopback), { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    const server = app.getHttpServer();
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => {
        server.closeAllConnections();
        return app.close();
      },
    };
  };
}

/** Serves the adapter suite's applications on Nest over Express. */
export const startOnExpress: StartAdapter = startWith(
  (trustsLoopback) => {
    const app = express().set('env', 'test');
    if (trustsLoopback) app.set('trust proxy', 'loopback');
    return new ExpressAdapter(app);
  },
  onExpress,
  ['/', '*path'],
);

/** Serves the adapter suite's applications on Nest over Fastify. */
export const startOnFastify: StartAdapter = startWith(
  (trustsLoopback) => {
    const adapter = new FastifyAdapter({ trustProxy: trustsLoopback && 'loopback' });
    // Bodies of any type: Fastify reads them before guards run, and refuses types that it does not know.
    adapter.getInstance().addContentTypeParser('*', (_request, _payload, done) => done(null));
    return adapter;
  },
  onFastify,
  ['*'],
);
