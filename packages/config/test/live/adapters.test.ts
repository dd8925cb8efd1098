import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { type LivePolicies, policies } from '@sluice/config';
import { MemoryStore } from '@sluice/core';
import { rateLimit as expressLimit } from '@sluice/express';
import { rateLimit as fastifyLimit } from '@sluice/fastify';
import { rateLimit as fetchLimit, respond } from '@sluice/fetch';
import { rateLimit as honoLimit } from '@sluice/hono';
import { RateLimitGuard, RateLimitModule } from '@sluice/nestjs';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
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
  readonly port: number;
  close(): Promise<unknown>;
}

type Start = (live: LivePolicies<object, false>) => Promise<Running>;

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

const HOSTS: Readonly<Record<string, Start>> = {
  async Express(live) {
    const app = express();
    app.use(expressLimit(live.policy('api', { extraHeaders: { 'x-policy': 'api' } })));
    app.get('/', (_req, res) => void res.send('ok'));
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return { port: portOf(server), close: () => new Promise((resolve) => server.close(resolve)) };
  },

  async Fastify(live) {
    const app = fastify();
    await app.register(fastifyLimit, live.policy('api', { extraHeaders: { 'x-policy': 'api' } }));
    app.get('/', () => 'ok');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: portOf(app.server), close: () => app.close() };
  },

  async Nest(live) {
    @Controller()
    class Home {
      @Get()
      home(): string {
        return 'ok';
      }
    }
    @Module({
      imports: [RateLimitModule.forRoot(live.policy('api', { extraHeaders: { 'x-policy': 'api' } }))],
      controllers: [Home],
      providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
    })
    class App {}
    const app = await NestFactory.create(App, { logger: false });
    await app.listen(0, '127.0.0.1');
    return { port: portOf(app.getHttpServer()), close: () => app.close() };
  },

  async fetch(live) {
    const limit = fetchLimit(live.policy('api', { extraHeaders: { 'x-policy': 'api' } }));
    const handler = async (request: Request, address: string | undefined): Promise<Response> =>
      (await limit(request, { address })) ?? respond(request, () => new Response('ok'));
    const fetch: Parameters<typeof serve>[0]['fetch'] = (request, { incoming }) =>
      handler(request, incoming.socket.remoteAddress);
    const server = await new Promise<ServerType>((resolve) => {
      const listening = serve({ fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(listening));
    });
    return { port: portOf(server), close: () => new Promise((resolve) => server.close(resolve)) };
  },

  async Hono(live) {
    const app = new Hono();
    app.use(honoLimit(live.policy('api', { extraHeaders: { 'x-policy': 'api' } })));
    app.get('/', (c) => c.text('ok'));
    const server = await new Promise<ServerType>((resolve) => {
      const listening = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(listening));
    });
    return { port: portOf(server), close: () => new Promise((resolve) => server.close(resolve)) };
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
    const host = await start(live);
    running.push(host);
    const ask = async (key: string | undefined) => {
      const headers: Record<string, string> = { connection: 'close', ...(key !== undefined && { 'x-api-key': key }) };
      const response = await fetch(`http://127.0.0.1:${host.port}/`, { headers });
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
