import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, type INestApplication, Module, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { ThrottlerGuard, ThrottlerModule, ThrottlerStorageService } from '@nestjs/throttler';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/express';
import { RedisStore } from '@sluice/redis';
import express, { type RequestHandler } from 'express';
import { MemoryStore as PeerStore, rateLimit as peerLimit } from 'express-rate-limit';
import fastify, { type FastifyInstance, type FastifyPluginCallback } from 'fastify';
import { Redis } from 'ioredis';
import { RedisStore as PeerRedisStore, type RedisReply } from 'rate-limit-redis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterUnion } from 'rate-limiter-flexible';
import request from 'supertest';

// Each test holds a row of the table in packages/core/docs/comparison.md, with the libraries themselves.

const peerPlugin = jest.requireActual<FastifyPluginCallback<Record<string, unknown>>>('@fastify/rate-limit');

const MINUTE_MS = 60_000;

/** What a test has started, to be ended after it. */
const ends: (() => unknown)[] = [];
afterEach(async () => {
  jest.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(() => {
  jest.restoreAllMocks();
});

const isAdmitted = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  );

@Controller()
class Cats {
  @Get()
  hello(): string {
    return 'hello';
  }
}

async function nestApp(storage: ThrottlerStorageService, throttlers: { name: string; ttl: number; limit: number }[]) {
  @Module({
    imports: [ThrottlerModule.forRoot({ throttlers, storage })],
    controllers: [Cats],
    providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
  })
  class App {}
  const built = await Test.createTestingModule({ imports: [App as Type] }).compile();
  const app: INestApplication = await built.createNestApplication({ logger: false }).init();
  ends.push(() => app.close());
  return app;
}

async function fastifyApp(options: Record<string, unknown>): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(peerPlugin, options);
  app.get('/', async () => 'hello');
  ends.push(() => app.close());
  return app;
}

function expressApp(...limiters: readonly unknown[]) {
  const app = express();
  for (const limiter of limiters) app.use(limiter as RequestHandler);
  return app.get('/', (_, res) => void res.send('hello'));
}

describe('In one minute, of a limit of 100 a minute', () => {
  /** How many are admitted within the 0.2 seconds around the end of a minute, if one came at its beginning. */
  async function admittedAround(ask: () => Promise<boolean>, advance: (ms: number) => void): Promise<number> {
    await ask();
    advance(59_900);
    let admitted = 0;
    for (let i = 0; i < 100; i += 1) if (await ask()) admitted += 1;
    advance(200);
    for (let i = 0; i < 100; i += 1) if (await ask()) admitted += 1;
    return admitted;
  }

  const advance = (ms: number) => void jest.advanceTimersByTime(ms);
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));

  it('express-rate-limit admits 199', async () => {
    const store = new PeerStore();
    store.init({ windowMs: MINUTE_MS } as Parameters<PeerStore['init']>[0]);
    ends.push(() => store.shutdown());
    expect(await admittedAround(async () => (await store.increment('ann')).totalHits <= 100, advance)).toBe(199);
  });

  it('@nestjs/throttler admits 99, and the one at the beginning. Then it refuses for a whole minute', async () => {
    const storage = new ThrottlerStorageService();
    ends.push(() => storage.onApplicationShutdown());
    const ask = async () => !(await storage.increment('ann', MINUTE_MS, 100, MINUTE_MS, 'default')).isBlocked;
    expect(await admittedAround(ask, advance)).toBe(99);
    advance(59_000);
    expect(await ask()).toBe(false);
  });

  it('@fastify/rate-limit admits 199', async () => {
    const app = await fastifyApp({ max: 100, timeWindow: MINUTE_MS });
    expect(await admittedAround(async () => (await app.inject('/')).statusCode === 200, advance)).toBe(199);
  });

  it('rate-limiter-flexible admits 199', async () => {
    const limiter = new RateLimiterMemory({ points: 100, duration: 60 });
    expect(await admittedAround(() => isAdmitted(limiter.consume('ann')), advance)).toBe(199);
  });

  it('Sluice admits 99, and the one at the beginning', async () => {
    const clock = new ManualClock();
    const limiter = createLimiter({ limit: 100, window: '1m', store: new MemoryStore({ clock }) });
    const admitted = await admittedAround(
      async () => limiter.consume('ann').allowed,
      (ms) => clock.advance(ms),
    );
    expect(admitted).toBe(99);
  });
});

describe('A request that the second limit refuses', () => {
  it('is counted by the first in express-rate-limit', async () => {
    const hours = new PeerStore();
    const limits = [
      peerLimit({ windowMs: 60 * MINUTE_MS, limit: 100, store: hours, keyGenerator: () => 'ann' }),
      peerLimit({ windowMs: MINUTE_MS, limit: 2, keyGenerator: () => 'ann' }),
    ];
    ends.push(() => hours.shutdown());
    const app = expressApp(...limits);
    const statuses = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await request(app).get('/')).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    expect((await hours.get('ann'))?.totalHits).toBe(5);
  });

  it('is counted by the first in @nestjs/throttler, which asks the shorter one first', async () => {
    const storage = new ThrottlerStorageService();
    const app = await nestApp(storage, [
      { name: 'hour', ttl: 60 * MINUTE_MS, limit: 2 },
      { name: 'minute', ttl: MINUTE_MS, limit: 100 },
    ]);
    const statuses = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await request(app.getHttpServer()).get('/')).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    const hits = [...storage.storage.values()].map(({ totalHits }) => totalHits.get('minute') ?? 0);
    expect(Math.max(...hits)).toBe(5);
  });

  it('is counted by the first in rate-limiter-flexible', async () => {
    const hour = new RateLimiterMemory({ keyPrefix: 'hour', points: 100, duration: 3600 });
    const minute = new RateLimiterMemory({ keyPrefix: 'minute', points: 2, duration: 60 });
    const both = new RateLimiterUnion(hour, minute);
    for (let i = 0; i < 5; i += 1) await isAdmitted(both.consume('ann'));
    expect((await hour.get('ann'))?.consumedPoints).toBe(5);
  });

  it('costs nothing in Sluice', () => {
    const limits = [
      { name: 'hour', limit: 100, window: '1h' as const },
      { name: 'minute', limit: 2, window: '1m' as const },
    ];
    const limiter = createLimiter({ name: 'api', limits });
    for (let i = 0; i < 5; i += 1) limiter.consume('ann');
    expect(limiter.peek('ann').verdicts.map(({ remaining }) => remaining)).toEqual([98, 0]);
  });
});

describe('While Redis takes connections and says nothing', () => {
  const WAITS_MS = 1000;
  let silent: Server;
  let port: number;

  beforeEach(async () => {
    silent = createServer((socket) => void ends.push(() => socket.destroy())).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    port = (silent.address() as AddressInfo).port;
    ends.push(() => new Promise((resolve) => silent.close(resolve)));
  });

  const clientOf = (): Redis => {
    const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 1 });
    client.on('error', () => undefined);
    ends.push(() => client.disconnect());
    return client;
  };

  const serverOf = (limiter: unknown) => {
    const server = expressApp(limiter).listen(0, '127.0.0.1');
    ends.push(() => server.close().closeAllConnections());
    return server;
  };

  /** Whether an answer comes in time. */
  const answers = async (asked: PromiseLike<unknown>): Promise<boolean> => {
    const late = new Promise<false>((resolve) => setTimeout(resolve, WAITS_MS, false));
    return Promise.race([late, asked.then(() => true)]);
  };

  it('a request waits in express-rate-limit', async () => {
    // It says so when the client is closed at the end.
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const client = clientOf();
    const sendCommand = (command: string, ...args: string[]) => client.call(command, ...args) as Promise<RedisReply>;
    const store = new PeerRedisStore({ sendCommand });
    expect(await answers(request(serverOf(peerLimit({ limit: 9, store }))).get('/'))).toBe(false);
  });

  it('a request waits in @fastify/rate-limit', async () => {
    const app = await fastifyApp({ max: 9, redis: clientOf(), skipOnError: true });
    expect(await answers(app.inject('/'))).toBe(false);
  });

  it('a request waits in rate-limiter-flexible, also with an insurance limiter', async () => {
    const insuranceLimiter = new RateLimiterMemory({ points: 9, duration: 60 });
    const limiter = new RateLimiterRedis({ storeClient: clientOf(), points: 9, duration: 60, insuranceLimiter });
    expect(await answers(isAdmitted(limiter.consume('ann')))).toBe(false);
  });

  it('a request is decided within its deadline in Sluice', async () => {
    const store = new RedisStore({ client: clientOf() });
    ends.push(() => store.close());
    const server = serverOf(rateLimit({ limit: 9, window: '1m', store }));
    expect(await answers(request(server).get('/').expect(200))).toBe(true);
  });
});

describe('Without options, the fields of a response', () => {
  const fieldsOf = (headers: Record<string, unknown>): readonly string[] =>
    Object.keys(headers).filter((name) => name.includes('ratelimit'));

  it('are X-RateLimit-* in express-rate-limit and @fastify/rate-limit', async () => {
    const { headers } = await request(expressApp(peerLimit({ keyGenerator: () => 'ann' }))).get('/');
    expect(fieldsOf(headers)).toEqual(['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']);
    const app = await fastifyApp({ max: 9 });
    expect(fieldsOf((await app.inject('/')).headers)).toEqual([
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ]);
  });

  it('are X-RateLimit-* in @nestjs/throttler', async () => {
    const app = await nestApp(new ThrottlerStorageService(), [{ name: 'default', ttl: MINUTE_MS, limit: 9 }]);
    const { headers } = await request(app.getHttpServer()).get('/');
    expect(fieldsOf(headers)).toEqual(['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']);
  });

  it('are those of the standard, and X-RateLimit-*, in Sluice', async () => {
    const { headers } = await request(expressApp(rateLimit({ limit: 9, window: '1m' }))).get('/');
    expect([...fieldsOf(headers)].sort()).toEqual([
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ]);
  });
});
