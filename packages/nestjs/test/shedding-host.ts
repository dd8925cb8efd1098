import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { All, Controller, Module, Req, Res, UseGuards } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { RequestOf, SheddingAnswer, SheddingOptions, StartShedding } from '@sluice/test-kit/shedding-suite';
import express, { type Response } from 'express';
import type { FastifyReply } from 'fastify';
import {
  CurrentLoad,
  LoadSheddingModule,
  type LoadState,
  RateLimit,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitOptions,
  SkipRateLimit,
} from '../src/index.js';

/** A platform of Nest: its adapter, its paths, and how its users answer. */
interface Platform {
  readonly createAdapter: () => AbstractHttpAdapter;
  readonly paths: string[];
  readonly send: (response: object, answer: SheddingAnswer) => unknown;
}

const ON_EXPRESS: Platform = {
  createAdapter: () => new ExpressAdapter(express().set('env', 'test')),
  paths: ['/', '*path'],
  send: (response, { status, headers = {}, body }) => {
    const res = (response as Response).status(status).set(headers);
    if (body instanceof Readable) pipeline(body, res, () => {});
    else res.send(body);
  },
};

const ON_FASTIFY: Platform = {
  createAdapter: () => {
    const adapter = new FastifyAdapter();
    // Bodies of any type: Fastify reads them before handlers run, and refuses types that it does not know.
    adapter.getInstance().addContentTypeParser('*', (_request, _payload, done) => done(null));
    return adapter;
  },
  paths: ['*'],
  send: (response, { status, headers = {}, body }) =>
    (response as FastifyReply).code(status).headers(headers).send(body),
};

function startOn({ createAdapter, paths, send }: Platform): StartShedding {
  return async ({ mount = '', options, limits, handle }) => {
    const requestOf: RequestOf = ([req]) => req as IncomingMessage & { url: string };
    const shedding: SheddingOptions = options(requestOf);
    const [first, ...others]: readonly RateLimitOptions[] = limits?.(requestOf) ?? [];

    @Controller()
    @UseGuards(RateLimitGuard)
    class Handler {
      @All(paths)
      @(first ? RateLimit(first, ...others) : SkipRateLimit())
      async handle(
        @Req() { method, url: path }: { method: string; url: string },
        @Res() res: object,
        @CurrentLoad() load?: LoadState,
      ) {
        await send(res, await handle({ method, path, load }));
      }
    }

    @Module({ imports: [LoadSheddingModule.forRoot(shedding), RateLimitModule.forRoot({})], controllers: [Handler] })
    class App {}

    const app = await NestFactory.create(App, createAdapter(), { logger: false, abortOnError: false });
    app.setGlobalPrefix(mount);
    await app.listen(0, '127.0.0.1');
    const server: Server = app.getHttpServer();
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      server,
      close: () => {
        server.closeAllConnections();
        return app.close();
      },
    };
  };
}

/** Serves the applications of the suite with the module on Express. */
export const startSheddingOnExpress: StartShedding = startOn(ON_EXPRESS);

/** Serves the applications of the suite with the module on Fastify. */
export const startSheddingOnFastify: StartShedding = startOn(ON_FASTIFY);
