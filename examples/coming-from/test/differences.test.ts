import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, HttpException, type INestApplication, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { ThrottlerStorageService } from '@nestjs/throttler';
import { createLimiter, MemoryStore, slidingWindow, subscribe, wallClock } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/express';
import plugin from '@sluice/fastify';
import { RateLimitGuard, RateLimitModule } from '@sluice/nestjs';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { rateLimit as peerLimit } from 'express-rate-limit';
import fastify, { type FastifyInstance, type FastifyPluginCallback } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import request from 'supertest';

/** Its types declare the same `app.rateLimit` as ours. */
const peerPlugin = jest.requireActual<FastifyPluginCallback<Record<string, unknown>>>('@fastify/rate-limit');

const MINUTE_MS = 60_000;

/** The timers of a peer would go on after its test. */
const timers: { stop(): unknown }[] = [];

afterEach(() => {
  for (const timer of timers.splice(0)) timer.stop();
});

describe('A block shorter than its window', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('returns the whole limit when it ends in @nestjs/throttler', async () => {
    const storage = new ThrottlerStorageService();
    timers.push({ stop: () => storage.onApplicationShutdown() });
    const ask = async () => (await storage.increment('ann', MINUTE_MS, 2, 5000, 'default')).isBlocked;
    expect([await ask(), await ask(), await ask()]).toEqual([false, false, true]);
    jest.advanceTimersByTime(5001);
    expect([await ask(), await ask(), await ask()]).toEqual([false, false, true]);
  });

  it('does so in rate-limiter-flexible', async () => {
    const limiter = new RateLimiterMemory({ points: 2, duration: 60, blockDuration: 5 });
    const ask = () =>
      limiter.consume('ann').then(
        () => true,
        () => false,
      );
    expect([await ask(), await ask(), await ask()]).toEqual([true, true, false]);
    jest.advanceTimersByTime(5001);
    expect([await ask(), await ask(), await ask()]).toEqual([true, true, false]);
  });

  it('admits no key earlier here', () => {
    const clock = new ManualClock();
    const limit = slidingWindow({ limit: 2, window: '1m', blockDuration: '5s' });
    const limiter = createLimiter({ limit, store: new MemoryStore({ clock }) });
    const ask = () => limiter.consume('ann').allowed;
    expect([ask(), ask(), ask()]).toEqual([true, true, false]);
    clock.advance('5s');
    expect(ask()).toBe(false);
    clock.advance('55s');
    expect([ask(), ask(), ask()]).toEqual([true, true, false]);
  });
});

const hello: RequestHandler = (_req, res) => void res.send('hello');

function expressApp(limiter: RequestHandler): Express {
  return express().use(limiter).get('/', hello);
}

async function fastifyApp(
  register: (app: FastifyInstance) => Promise<void>,
  config: object = {},
): Promise<FastifyInstance> {
  const app = fastify();
  await register(app);
  app.get('/', { config }, async () => 'hello');
  return app;
}

const remainingOf = ({ headers }: { headers: Record<string, unknown> }) => headers['x-ratelimit-remaining'];

describe('HEAD and 404s', () => {
  it.each([
    ['express-rate-limit', peerLimit({ limit: 9, windowMs: MINUTE_MS })],
    ['@sluice/express', rateLimit({ limit: 9, window: MINUTE_MS })],
  ])('count with all other requests in %s', async (_, limiter) => {
    const app = expressApp(limiter as RequestHandler);
    expect(remainingOf(await request(app).get('/'))).toBe('8');
    expect(remainingOf(await request(app).head('/'))).toBe('7');
    const nowhere = await request(app).get('/nowhere');
    expect([nowhere.status, remainingOf(nowhere)]).toEqual([404, '6']);
  });

  it('count separately, and not at all, in @fastify/rate-limit', async () => {
    const config = { rateLimit: { max: 9, timeWindow: MINUTE_MS } };
    const app = await fastifyApp(async (app) => void (await app.register(peerPlugin, { max: 99 })), config);
    expect(remainingOf(await app.inject('/'))).toBe('8');
    expect(remainingOf(await app.inject({ method: 'HEAD', url: '/' }))).toBe('8');
    expect(remainingOf(await app.inject('/nowhere'))).toBeUndefined();
  });

  it('count with the route, and with the plugin, in @sluice/fastify', async () => {
    const config = { rateLimit: { limit: 9, window: MINUTE_MS } };
    const app = await fastifyApp(
      async (app) => void (await app.register(plugin, { limit: 99, window: MINUTE_MS })),
      config,
    );
    expect(remainingOf(await app.inject('/'))).toBe('8');
    expect(remainingOf(await app.inject({ method: 'HEAD', url: '/' }))).toBe('7');
    expect(remainingOf(await app.inject('/nowhere'))).toBe('98');
  });
});

type Hook = 'onRequest' | 'preHandler';

describe('hook', () => {
  const ours = async (app: FastifyInstance, hook: Hook, keyGenerator: () => string) => {
    await app.register(plugin, { limit: 9, window: '1m', hook, keyGenerator });
  };
  const theirs = async (app: FastifyInstance, hook: Hook, keyGenerator: () => string) => {
    await app.register(peerPlugin, { max: 9, hook, keyGenerator });
  };

  it.each([
    ['@fastify/rate-limit', 'onRequest', 'after', theirs, true],
    ['@fastify/rate-limit', 'preHandler', 'after', theirs, true],
    ['@sluice/fastify', 'onRequest', 'before', ours, false],
    ['@sluice/fastify', 'preHandler', 'after', ours, true],
  ] as const)('of %s, %s, counts %s hooks that were added later', async (_, hook, _when, register, expected) => {
    let hasRun = false;
    let hadRun: boolean | undefined;
    const app = await fastifyApp(async (app) => {
      await register(app, hook, () => {
        hadRun = hasRun;
        return 'all';
      });
      app.addHook(hook as 'preHandler', async () => {
        hasRun = true;
      });
    });
    expect((await app.inject('/')).statusCode).toBe(200);
    expect(hadRun).toBe(expected);
  });
});

describe('requestPropertyName', () => {
  it('is a function after the limiter that keeps its decision', async () => {
    const kept = new WeakMap<object, number | undefined>();
    const app = express();
    const store = new MemoryStore();
    app.use(rateLimit({ name: 'api', limit: 9, window: '1m', store }));
    app.use((req, _res, next) => {
      kept.set(req, req.rateLimit?.tightest.remaining);
      next();
    });
    app.use(rateLimit({ name: 'burst', limit: 2, window: '1s', store }));
    app.get('/', (req, res) => void res.json([kept.get(req), req.rateLimit?.tightest.remaining]));
    expect((await request(app).get('/')).body).toEqual([8, 1]);
  });
});

describe('A logger', () => {
  it('listens to events', async () => {
    const lines: string[] = [];
    const stop = subscribe('sluice:store-error', ({ policy, source }) => lines.push(`${policy}: ${source}`));
    const gone = Object.assign(new MemoryStore(), {
      consume: () => {
        throw new Error('gone');
      },
    });
    try {
      createLimiter({ name: 'api', limit: 1, window: '1m', store: gone }).consume('ann');
    } finally {
      stop();
    }
    expect(lines).toEqual(['api: local']);
  });
});

describe('An error of onLimitReached', () => {
  const refuse = () => {
    throw new HttpException('no more tea', 418);
  };
  const refused = { status: 418, header: { 'retry-after': '60' } };

  it('reaches the error handler of Express, with the header fields set', async () => {
    const app = expressApp(rateLimit({ limit: 0, window: '1m', onLimitReached: refuse }) as RequestHandler);
    const handler: ErrorRequestHandler = (error, _req, res, _next) => void res.status(error.getStatus()).send('tea');
    app.use(handler);
    const { status, text, headers } = await request(app).get('/');
    expect([status, text]).toEqual([418, 'tea']);
    expect(headers).toHaveProperty('ratelimit-policy');
  });

  it('reaches the error handler of Fastify', async () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    const app = await fastifyApp(async (app) => {
      app.setErrorHandler(async (error, _request, reply) =>
        reply.code((error as HttpException).getStatus()).send('tea'),
      );
      await app.register(plugin, { limit: 1, window: '1m', onLimitReached: refuse, store });
    });
    await app.inject('/');
    const { statusCode, body, headers } = await app.inject('/');
    expect([statusCode, body, headers['retry-after']]).toEqual([418, 'tea', refused.header['retry-after']]);
  });

  it('reaches the exception filters of Nest', async () => {
    @Controller()
    class Home {
      @Get()
      home() {}
    }
    @Module({
      imports: [RateLimitModule.forRoot({ limit: 0, window: '1m', onLimitReached: refuse })],
      controllers: [Home],
      providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
    })
    class App {}
    const module = await Test.createTestingModule({ imports: [App] }).compile();
    const app: INestApplication = module.createNestApplication({ logger: false });
    try {
      await app.init();
      const { status, body } = await request(app.getHttpServer()).get('/');
      expect([status, body.message]).toEqual([refused.status, 'no more tea']);
    } finally {
      await app.close();
    }
  });
});

describe('Fake timers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('move a limiter whose store has the wall clock', () => {
    const store = new MemoryStore({ clock: wallClock });
    const limiter = createLimiter({ limit: 1, window: '1h', store });
    const ask = () => limiter.consume('ann').allowed;
    expect([ask(), ask()]).toEqual([true, false]);
    jest.advanceTimersByTime(60 * MINUTE_MS);
    expect([ask(), ask()]).toEqual([true, false]);
  });
});
