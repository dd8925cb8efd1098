import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { type LivePolicies, policies } from '@sluice/config';
import { MemoryStore } from '@sluice/core';
import { rateLimit as expressLimit } from '@sluice/express';
import { rateLimit as fastifyLimit } from '@sluice/fastify';
import { rateLimit as fetchLimit, respond } from '@sluice/fetch';
import { rateLimit as honoLimit } from '@sluice/hono';
import { rateLimit as koaLimit } from '@sluice/koa';
import { RateLimitGuard, RateLimitModule } from '@sluice/nestjs';
import { until } from '@sluice/test-kit/until';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { TextSource } from './text-source.js';

const text = (free: number, pro: number): string => `version: 1
keys: { customer: { header: x-api-key } }
tiers:
  free: { minute: { limit: ${free}, window: 1h } }
  pro: { minute: { limit: ${pro}, window: 1h } }
customers: { acme: { tier: pro }, mallory: { block: true } }
policies:
  api:
    key: customer
    tier: { from: customers, default: free }
    unknownCustomer: refuse
    limits: [{ name: minute, tier: true }]
`;

/** A server of one framework. */
interface Running {
  readonly server: Server;
  close(): Promise<unknown>;
}

/** Starts a server whose only route answers with what `work` returns. */
type Start = (live: LivePolicies<object, false>, work: () => Promise<string>) => Promise<Running>;

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Waits until a server listens that does not have to be closed by a framework. */
async function listening(server: Server): Promise<Running> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, close: () => new Promise((resolve) => server.close(resolve)) };
}

const served = (fetch: Parameters<typeof serve>[0]['fetch']): Promise<Running> =>
  new Promise((resolve) => {
    const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(listening(server as Server)));
  });

const HTTP = { extraHeaders: { 'x-policy': 'api' } };

const HOSTS: Readonly<Record<string, Start>> = {
  async Express(live, work) {
    const app = express();
    app.use(expressLimit(live.policy('api', HTTP)));
    app.get('/', async (_req, res) => void res.send(await work()));
    return listening(createServer(app));
  },

  async Fastify(live, work) {
    const app = fastify();
    await app.register(fastifyLimit, live.policy('api', HTTP));
    app.get('/', work);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { server: app.server, close: () => app.close() };
  },

  async Nest(live, work) {
    @Controller()
    class Home {
      @Get()
      home(): Promise<string> {
        return work();
      }
    }
    @Module({
      imports: [RateLimitModule.forRoot(live.policy('api', HTTP))],
      controllers: [Home],
      providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
    })
    class App {}
    const app = await NestFactory.create(App, { logger: false });
    await app.listen(0, '127.0.0.1');
    return { server: app.getHttpServer(), close: () => app.close() };
  },

  async fetch(live, work) {
    const limit = fetchLimit(live.policy('api', HTTP));
    const handler = async (request: Request, address: string | undefined): Promise<Response> =>
      (await limit(request, { address })) ?? respond(request, async () => new Response(await work()));
    return served((request, { incoming }) => handler(request, incoming.socket.remoteAddress));
  },

  async Hono(live, work) {
    const app = new Hono();
    app.use(honoLimit(live.policy('api', HTTP)));
    app.get('/', async (c) => c.text(await work()));
    return served(app.fetch);
  },

  async Koa(live, work) {
    const app = new Koa();
    app.use(koaLimit(live.policy('api', HTTP)));
    app.use(async (ctx) => {
      ctx.body = await work();
    });
    return listening(createServer(app.callback()));
  },
};

const running: Running[] = [];
const open: LivePolicies[] = [];

afterEach(async () => {
  await Promise.all([...running.splice(0), ...open.splice(0)].map((one) => one.close()));
});

describe.each(Object.entries(HOSTS))('a live policy in %s', (_, start) => {
  it('limits requests, and changes while they come', async () => {
    const source = new TextSource(text(1, 2));
    const live = await policies({ source, store: new MemoryStore() });
    open.push(live);
    const host = await start(live, async () => 'ok');
    running.push(host);
    const ask = async (key: string | undefined) => {
      const headers: Record<string, string> = { connection: 'close', ...(key !== undefined && { 'x-api-key': key }) };
      const response = await fetch(`http://127.0.0.1:${portOf(host.server)}/`, { headers });
      await response.text();
      return response;
    };
    const statuses = async (...keys: (string | undefined)[]): Promise<number[]> => {
      const found: number[] = [];
      for (const key of keys) found.push((await ask(key)).status);
      return found;
    };
    expect(await statuses('acme', 'acme', 'acme')).toEqual([200, 200, 429]);
    expect(await statuses('mallory', 'stranger', undefined)).toEqual([403, 401, 401]);

    source.text = text(1, 4);
    await live.reload();
    const allowed = await ask('acme');
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('ratelimit')).toMatch(/"minute";r=1/);
    expect(allowed.headers.get('x-policy')).toBe('api');

    await live.setEnforcement('shadow', { for: '1h' });
    expect(await statuses('acme', 'acme', 'mallory', 'stranger')).toEqual([200, 200, 200, 200]);
    await live.setEnforcement('off', { for: '1h' });
    expect((await ask('acme')).headers.get('ratelimit')).toBeNull();
    await live.clearEnforcement();
    expect(await statuses('acme', 'stranger')).toEqual([429, 401]);
  });
});

// Express does not tell when a handler has ended.
const TELLING = Object.entries(HOSTS).filter(([name]) => name !== 'Express');

it.each(TELLING)(
  'in %s, a slot of a limit that a later file adds is kept until its handler has ended',
  async (_, start) => {
    const limits = (more: string): string =>
      `version: 1\npolicies: { api: { limits: [{ name: minute, limit: 999, window: 1m }${more}] } }`;
    const source = new TextSource(limits(''));
    const live = await policies({ source, store: new MemoryStore() });
    open.push(live);
    let begun = 0;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const host = await start(live, async () => {
      begun += 1;
      await ended;
      return 'ok';
    });
    running.push(host);
    const { server } = host;
    source.text = limits(', { name: slots, algorithm: concurrency, limit: 1, lease: 1h }');
    expect(await live.reload()).toMatchObject({ outcome: 'applied' });

    const url = `http://127.0.0.1:${portOf(server)}/`;
    const ask = async (): Promise<number> => {
      const response = await fetch(url, { headers: { connection: 'close' } });
      await response.text();
      return response.status;
    };
    const client = new AbortController();
    const answer = fetch(url, { signal: client.signal }).catch(() => 'it has left');
    await until(() => begun === 1);
    client.abort();
    expect(await answer).toBe('it has left');
    await until(() => new Promise((resolve) => server.getConnections((_error, count) => resolve(count === 0))));
    // Frameworks hear of it some turns later.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect([await ask(), begun]).toEqual([429, 1]);
    end();
    await until(async () => (await ask()) === 200);
  },
);
