import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { asyncStore } from '@sluice/test-kit/async-store';
import fastify, { type FastifyInstance } from 'fastify';
import { byIp, MemoryStore, type RateLimitOptions, type RateLimitPluginOptions, rateLimit } from '../src/index.js';
import { limitedApp, minute } from './limited-app.js';

const handler = async (): Promise<string> => 'ok';
const wrong = (path: string) => expect.objectContaining({ name: 'SluiceError', code: 'SLUICE_OPTION', path });

/** What is wrong, and at which path. */
const WRONG: readonly [options: unknown, path: string][] = [
  [{}, 'limit'],
  [{ limit: 5 }, 'limit'],
  [{ ...minute(5), windowMs: 60_000 }, 'windowMs'],
  [{ ...minute(5), timeWindow: 60_000 }, 'timeWindow'],
  [{ ...minute(5), hook: 'onSend' }, 'hook'],
  [{ ...minute(5), hook: null }, 'hook'],
  [{ ...minute(5), global: 'no' }, 'global'],
  [{ ...minute(5), statusCode: 200 }, 'statusCode'],
  [{ ...minute(5), denyList: ['nobody'] }, 'denyList[0]'],
  [{ global: false, max: 5 }, 'max'],
  [{ global: false, limit: 5 }, 'limit'],
];

describe('A wrong option', () => {
  it.each(WRONG)('makes register fail: %j at %s', async (options, path) => {
    await expect(fastify().register(rateLimit, options as RateLimitPluginOptions)).rejects.toEqual(wrong(path));
    const app = fastify();
    app.register(rateLimit, options as RateLimitPluginOptions);
    await expect(app.ready()).rejects.toEqual(wrong(path));
  });

  it.each<[options: unknown, path: string]>([
    [{ limit: 1 }, 'limit'],
    [{ window: '1m' }, 'window'],
    [{ max: 1 }, 'max'],
    [{ global: true }, 'global'],
    [{ hook: 'onResponse' }, 'hook'],
    [{ allowList: ['x'] }, 'allowList[0]'],
    [true, 'config.rateLimit'],
    [null, 'config.rateLimit'],
    [[], 'config.rateLimit'],
    ['5/min', 'config.rateLimit'],
  ])('of a route is thrown when the route is added: %j at %s', async (options, path) => {
    const app = await limitedApp(minute(9));
    const config = { rateLimit: options as RateLimitOptions };
    expect(() => app.get('/', { config }, handler)).toThrow(wrong(path));
  });

  it('of a route because of inherited options makes ready fail', async () => {
    const app = await limitedApp({ ...minute(9), skipFailedRequests: true });
    app.get('/', { config: { rateLimit: { skipSuccessfulRequests: true } } }, handler);
    await expect(app.ready()).rejects.toEqual(wrong('skipSuccessfulRequests'));
    await expect(app.ready()).rejects.toThrow('of the policy "GET /", skipSuccessfulRequests must not be used with');
  });

  it('of a route that was added before the plugin is an error of its requests', async () => {
    const app = fastify();
    app.register(rateLimit, minute(9));
    app.get('/', { config: { rateLimit: { limit: -1, window: '1m' } } }, handler);
    expect((await app.inject('/')).statusCode).toBe(500);
  });

  it.each<[options: unknown, path: string]>([
    [{ max: 1 }, 'max'],
    [{ hook: 'preHandler' }, 'hook'],
    [undefined, 'options'],
    [[], 'options'],
  ])('of a hook is thrown when the hook is made: %j at %s', async (options, path) => {
    const app = await limitedApp({ ...minute(9), hook: 'preHandler' });
    expect(() => app.rateLimit(options as RateLimitOptions)).toThrow(wrong(path));
  });
});

it('Options that Fastify itself reads are accepted, and no option is changed', async () => {
  const rateLimited = Object.freeze({ ...minute(5), keyGenerator: undefined });
  const options = Object.freeze({ ...minute(1), prefix: '/api', logLevel: 'warn', logSerializers: {} } as const);
  const app = fastify();
  await app.register(rateLimit, options);
  app.get('/', { config: { rateLimit: rateLimited as object } }, handler);
  await app.ready();
  expect(options).toEqual({ ...minute(1), prefix: '/api', logLevel: 'warn', logSerializers: {} });
});

describe('Fastify’s error handler', () => {
  const failure = new Error('the directory is down');
  const throwing = (): never => {
    throw failure;
  };
  const rejecting = (): Promise<never> => Promise.reject(failure);

  const later = () => asyncStore({ clock: new ManualClock() });
  const serve = async (options: RateLimitOptions): Promise<{ app: FastifyInstance; errors: unknown[] }> => {
    const errors: unknown[] = [];
    const app = await limitedApp(options);
    app.setErrorHandler((error, _request, reply) => {
      errors.push(error);
      reply.code(500).send('sorry');
    });
    app.get('/', handler);
    return { app, errors };
  };

  describe.each([
    ['throws', throwing],
    ['rejects with', rejecting],
  ])('gets, once, the error that a callback %s:', (_, fail) => {
    it.each<[callback: string, options: RateLimitOptions]>([
      ['keyGenerator', { ...minute(5), keyGenerator: fail }],
      ['skip', { ...minute(5), skip: fail }],
      ['cost', { ...minute(5), cost: fail }],
      ['limit', { limit: fail, window: '1m' }],
      ['onLimitReached', { ...minute(0), onLimitReached: fail }],
      ['message', { ...minute(0), message: fail }],
    ])('%s', async (_callback, options) => {
      for (const store of [new MemoryStore(), later()]) {
        const { app, errors } = await serve({ ...options, store });
        expect((await app.inject('/')).body).toBe('sorry');
        expect(errors).toEqual([failure]);
      }
    });
  });

  it('gets an error for a callback that fails without a reason, and the request is not admitted', async () => {
    const { app, errors } = await serve({ ...minute(5), skip: () => Promise.reject() });
    expect((await app.inject('/')).statusCode).toBe(500);
    expect(errors).toEqual([new Error('A callback of rateLimit failed without a reason')]);
  });

  it('gets an error that says so for a function that nobody has called', async () => {
    const { app, errors } = await serve({ ...minute(5), keyGenerator: byIp as never });
    expect((await app.inject('/')).statusCode).toBe(500);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('not a request: call the function, such as byIp()') },
    ]);
  });

  it('gets nothing for a refusal', async () => {
    const { app, errors } = await serve(minute(0));
    expect((await app.inject('/')).statusCode).toBe(429);
    expect(errors).toEqual([]);
  });
});
