import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type ServerType, serve } from '@hono/node-server';
import { Controller, type ExecutionContext, HttpCode, Module, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Decision, Store } from '@sluice/core';
import { rateLimit } from '@sluice/express';
import { rateLimit as fastifyPlugin } from '@sluice/fastify';
import { rateLimit as honoRateLimit } from '@sluice/hono';
import { rateLimit as koaRateLimit } from '@sluice/koa';
import { RateLimit, RateLimitGuard, RateLimitModule, type RequestOf } from '@sluice/nestjs';
import express5 from 'express';
import express4 from 'express4';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Context, Hono } from 'hono';
import Koa from 'koa';
import { createLlm, type Llm, type LlmOptions, type Send } from '../../src/index.js';

/** A gateway that limits all of its clients together, and sends their calls to a provider. */
export interface GatewayOptions {
  readonly store: Store;
  readonly limits: Omit<LlmOptions<readonly unknown[]>, 'call'>;
  readonly send: Send;
  readonly onDecision: (decision: Decision) => void;
  /** Models to fall back to. */
  readonly degrade?: readonly string[] | undefined;
}

/** A gateway that listens. */
export interface Gateway {
  readonly url: string;
  close(): Promise<void>;
}

export type StartGateway = (options: GatewayOptions) => Promise<Gateway>;

const PATHS = ['/v1/chat/completions', '/v1/responses', '/v1/completions', '/v1/embeddings', '/v1/messages'];

/** The options of a policy of calls. */
function policyOf<A extends readonly unknown[]>(llm: Llm<A>, { degrade }: GatewayOptions) {
  return { ...llm.policy, ...(degrade && llm.degrade(degrade)) };
}

/** The options of all hosts. Their callbacks have the decision as the last of their arguments. */
const sharedOptions = ({ store, onDecision }: GatewayOptions) => ({
  name: 'llm',
  store,
  keyGenerator: () => 'ann',
  onDecision: (...params: readonly unknown[]) => onDecision(params.at(-1) as Decision),
});

function onExpress(createApp: typeof express5): StartGateway {
  return async (options) => {
    const { limits, send } = options;
    const llm = createLlm({ ...limits, call: (req: express5.Request, _res: express5.Response) => req.body });
    const app = createApp().disable('x-powered-by');
    const policy = rateLimit({ ...sharedOptions(options), ...policyOf(llm, options) });
    app.post(PATHS, createApp.json({ limit: '4mb' }), policy, (req, res) => llm.relay({ req, res }, send));
    const server = await new Promise<Server>((resolve) => {
      const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
    });
    return gatewayOf(server);
  };
}

const onFastify: StartGateway = async (options) => {
  const { limits, send } = options;
  const llm = createLlm({ ...limits, call: (request: FastifyRequest, _reply: FastifyReply) => request.body });
  const app = fastify();
  await app.register(fastifyPlugin, { global: false });
  const policy = { ...sharedOptions(options), hook: 'preHandler', ...policyOf(llm, options) } as const;
  for (const path of PATHS)
    app.post(path, { config: { rateLimit: policy } }, (req, res) => llm.relay({ req, res }, send));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return gatewayOf(app.server, () => app.close());
};

function onNest(createAdapter: () => AbstractHttpAdapter): StartGateway {
  return async (options) => {
    const { limits, send } = options;
    const llm = createLlm({
      ...limits,
      call: (req: RequestOf, _context: ExecutionContext) => ('body' in req ? req.body : undefined),
    });
    const { store: _, ...shared } = sharedOptions(options);

    @Controller()
    @UseGuards(RateLimitGuard)
    class Calls {
      @Post(PATHS)
      @HttpCode(200)
      @RateLimit({ ...shared, ...policyOf(llm, options) })
      async relay(@Req() req: object, @Res() res: object): Promise<void> {
        await llm.relay({ req, res }, send);
      }
    }

    @Module({ imports: [RateLimitModule.forRoot({ store: options.store })], controllers: [Calls] })
    class App {}

    const app = await NestFactory.create(App, createAdapter(), { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    return gatewayOf(app.getHttpServer(), () => app.close());
  };
}

const onHono: StartGateway = async (options) => {
  const { limits, send } = options;
  const llm = createLlm({ ...limits, call: (c: Context) => c.req.json() });
  const app = new Hono();
  const policy = honoRateLimit({ ...sharedOptions(options), ...policyOf(llm, options) });
  for (const path of PATHS) app.post(path, policy, (c) => llm.relay(c.req.raw, send));
  const server = await new Promise<ServerType>((resolve) => {
    const listening = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(listening));
  });
  return gatewayOf(server as Server);
};

const onKoa: StartGateway = async (options) => {
  const { limits, send } = options;
  const llm = createLlm({ ...limits, call: (ctx: Koa.Context) => ctx.state.body });
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    if (ctx.method !== 'POST' || !PATHS.includes(ctx.path)) return;
    ctx.state.body = await json(ctx.req);
    await next();
  });
  app.use(koaRateLimit({ ...sharedOptions(options), ...policyOf(llm, options) }));
  app.use((ctx) => llm.relay(ctx, send));
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return gatewayOf(server);
};

function gatewayOf(server: Server, close?: () => Promise<unknown>): Gateway {
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await (close ? close() : new Promise((resolve) => server.close(resolve)));
    },
  };
}

/** The hosts that a relay works on, by their names. */
export const HOSTS: readonly (readonly [name: string, start: StartGateway])[] = [
  ['Express 4', onExpress(express4)],
  ['Express 5', onExpress(express5)],
  ['Fastify', onFastify],
  ['Nest on Express', onNest(() => new ExpressAdapter(express5().disable('x-powered-by')))],
  ['Nest on Fastify', onNest(() => new FastifyAdapter())],
  ['Hono', onHono],
  ['Koa', onKoa],
];
