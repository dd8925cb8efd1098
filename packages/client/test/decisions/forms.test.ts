import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type DecisionsLimiter, decisions } from '@sluice/client/decisions';
import { rateLimit as expressRateLimit } from '@sluice/express';
import { rateLimit } from '@sluice/fastify';
import { rateLimit as honoRateLimit } from '@sluice/hono';
import { RateLimit, RateLimitGuard, RateLimitModule, RateLimitService } from '@sluice/nestjs';
import fastify from 'fastify';
import { Hono } from 'hono';
import { SmallService } from './small-service.js';

let service: SmallService;
let remote: DecisionsLimiter;

beforeEach(async () => {
  service = await new SmallService().listen();
  remote = decisions({ url: service.url, policy: 'api', deadline: '10s', onStoreError: 'deny' });
});

afterEach(async () => {
  await remote.close();
  await service.close();
});

describe('The options of an adapter take a limiter over the service', () => {
  it('in Express and Hono', async () => {
    const handler = expressRateLimit({ limiter: remote, skip: (req) => req.path === '/health', tier: () => 'pro' });
    expect(handler.policy).toBe('api');
    const app = new Hono();
    app.use(honoRateLimit({ limiter: remote, cost: (c) => c.req.path.length }));
    app.get('/four', (c) => c.text(String(c.get('rateLimit')?.tightest.remaining)));
    expect(await (await app.request('/four')).text()).toBe('99');
    expect(JSON.parse(service.calls[0]?.body ?? '')).toMatchObject({ cost: 5, request: { path: '/four' } });
  });

  it('in Fastify: of the plugin, of a route, and of a hook', async () => {
    const app = fastify();
    await app.register(rateLimit, { global: false, limit: 5, window: '1m', message: 'later' });
    const answer = async () => 'fine';
    app.get('/alone', { config: { rateLimit: remote } }, answer);
    app.get('/beside', { config: { rateLimit: { limiter: remote, hook: 'preHandler' } } }, answer);
    app.get('/hook', { preHandler: app.rateLimit(remote) }, answer);
    const inner = fastify();
    await inner.register(rateLimit, remote);
    inner.get('/', answer);
    for (const [server, url] of [
      [app, '/alone'],
      [app, '/beside'],
      [app, '/hook'],
      [inner, '/'],
    ] as const) {
      const { headers, body } = await server.inject(url);
      expect([body, headers['ratelimit-policy']]).toEqual(['fine', '"minute";q=100;w=60']);
    }
    expect(app.rateLimit.policy('GET /alone').policy).toBe('api');
    expect(inner.rateLimit.policy('api').policy).toBe('api');
    await Promise.all([app.close(), inner.close()]);
  });

  it('in Nest: of the module, by name, and of a decorator', async () => {
    @Controller()
    @UseGuards(RateLimitGuard)
    class Handlers {
      @Get('module')
      module() {
        return 'fine';
      }

      @Get('named')
      @RateLimit('named')
      named() {
        return 'fine';
      }

      @Get('decorated')
      @RateLimit(remote, { limit: 3, window: '1m' })
      decorated() {
        return 'fine';
      }
    }

    @Module({
      imports: [RateLimitModule.forRoot({ limiter: remote, policies: { named: { limiter: remote } } })],
      controllers: [Handlers],
    })
    class App {}

    const app = await NestFactory.create(App, { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    const fields = { module: '"minute";q=100;w=60', named: '"minute";q=100;w=60' };
    const both = '"minute";q=100;w=60,"Handlers.decorated";q=3;w=60';
    for (const [path, field] of Object.entries({ ...fields, decorated: both })) {
      const response = await fetch(`${url}/${path}`);
      expect([await response.text(), response.headers.get('ratelimit-policy')]).toEqual(['fine', field]);
    }
    expect(app.get(RateLimitService).policy('named').policy).toBe('api');
    await app.close();
  });
});
