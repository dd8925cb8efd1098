import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ManualClock } from '@sluice/core/testing';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { type MetricsHandler, metricsHandler } from '../src/index.js';

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A registry that counts how often it is asked. It fails while `error` is set. */
class CountedSource {
  readonly contentType = TYPE;
  asked = 0;
  error: Error | undefined;

  async metrics(): Promise<string> {
    this.asked += 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (this.error) throw this.error;
    return `asked_total ${this.asked}\n`;
  }
}

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(url: string): Promise<readonly [status: number, type: string | null, body: string]> {
  const response = await fetch(`${url}/metrics`, { headers: { connection: 'close' } });
  return [response.status, response.headers.get('content-type'), await response.text()];
}

async function fastifyUrl(handler: MetricsHandler): Promise<string> {
  const app = fastify();
  app.get('/metrics', handler);
  closings.push(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

async function nestUrl(handler: MetricsHandler, adapter?: FastifyAdapter): Promise<string> {
  @Controller()
  class MetricsController {
    @Get('metrics')
    show(@Req() request: never, @Res({ passthrough: adapter !== undefined }) response: never) {
      return handler(request, response);
    }
  }
  @Module({ controllers: [MetricsController] })
  class App {}
  const options = { logger: false, abortOnError: false } as const;
  const app = adapter ? await NestFactory.create(App, adapter, options) : await NestFactory.create(App, options);
  closings.push(() => app.close());
  await app.listen(0, '127.0.0.1');
  return `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
}

function koaUrl(handler: MetricsHandler): Promise<string> {
  const app = new Koa();
  app.silent = true;
  app.use(handler);
  return listening(createServer(app.callback()));
}

const HOSTS: Readonly<Record<string, (handler: MetricsHandler) => Promise<string>>> = {
  'node:http': (handler) => listening(createServer(handler)),
  Express: (handler) => listening(createServer(express().get('/metrics', handler))),
  Fastify: fastifyUrl,
  'Nest over Express': (handler) => nestUrl(handler),
  'Nest over Fastify': (handler) => nestUrl(handler, new FastifyAdapter()),
  Koa: koaUrl,
};

describe.each(Object.entries(HOSTS))('metricsHandler on %s', (_, urlOf) => {
  it('shows the text with its content type, and asks once a second however many ask', async () => {
    const source = new CountedSource();
    const clock = new ManualClock();
    const url = await urlOf(metricsHandler(source, { clock }));
    const text = [200, TYPE, 'asked_total 1\n'];
    expect(await Promise.all([ask(url), ask(url), ask(url)])).toEqual([text, text, text]);
    await clock.advance(999);
    expect(await ask(url)).toEqual(text);
    await clock.advance(1);
    expect(await ask(url)).toEqual([200, TYPE, 'asked_total 2\n']);
    expect(source.asked).toBe(2);
  });

  it('answers a failure with status 500, and asks again after it', async () => {
    const source = new CountedSource();
    source.error = new Error('a gauge of the application failed');
    const url = await urlOf(metricsHandler(source, { clock: new ManualClock() }));
    const [status] = await ask(url);
    expect(status).toBe(500);
    source.error = undefined;
    expect(await ask(url)).toEqual([200, TYPE, 'asked_total 2\n']);
  });
});

describe('metricsHandler of node:http', () => {
  it.each([
    ['a text', undefined],
    ['a failure', new Error('a gauge of the application failed')],
  ])('leaves a response alone that somebody else has sent before there is %s', async (_, error) => {
    const source = new CountedSource();
    source.error = error;
    const handler = metricsHandler(source);
    let handled: Promise<void> | undefined;
    const url = await listening(
      createServer((request, response) => {
        handled = handler(request, response);
        response.writeHead(503).end('too late');
      }),
    );
    expect(await ask(url)).toEqual([503, null, 'too late']);
    await expect(handled).resolves.toBeUndefined();
  });
});

describe('metricsHandler of Hono', () => {
  it('returns a Response', async () => {
    const source = new CountedSource();
    const app = new Hono().get('/metrics', metricsHandler(source, { clock: new ManualClock() }));
    const response = await app.request('/metrics');
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      TYPE,
      'asked_total 1\n',
    ]);
    source.error = new Error('a gauge of the application failed');
    expect((await app.request('/metrics')).status).toBe(200);
  });

  it('leaves a failure to the error handler of the application', async () => {
    const source = new CountedSource();
    source.error = new Error('a gauge of the application failed');
    const app = new Hono().get('/metrics', metricsHandler(source));
    app.onError(({ message }, c) => c.text(message, 503));
    const response = await app.request('/metrics');
    expect([response.status, await response.text()]).toEqual([503, 'a gauge of the application failed']);
  });
});

it('makes a new text if the clock is set back', async () => {
  const source = new CountedSource();
  let nowMs = 1_000_000;
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  const app = new Hono().get('/metrics', metricsHandler(source, { clock }));
  await app.request('/metrics');
  nowMs -= 3_600_000;
  expect(await (await app.request('/metrics')).text()).toBe('asked_total 2\n');
});

describe('options of metricsHandler', () => {
  it.each([
    [undefined, {}, 'registry must have metrics(), like the registry of prom-client, got undefined'],
    [new CountedSource(), { clock: 5 }, 'clock must have now() and sleep(), like new ManualClock(), got 5'],
    [new CountedSource(), { keep: 5 }, 'keep is not an option: the options are clock, got 5'],
  ])('are checked: %#', (source, options, message) => {
    expect(() => metricsHandler(source as never, options as never)).toThrow(`${message} (SLUICE_OPTION)`);
  });
});
