import { once } from 'node:events';
import { type ClientRequest, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { asyncStore } from '@sluice/test-kit/async-store';
import type { ErrorRequestHandler, Express } from 'express';
import supertest from 'supertest';
import { leakyBucket, MemoryStore, type RateLimitOptions, rateLimit } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

const failure = new Error('the directory is down');
const throwing = (): never => {
  throw failure;
};
const rejecting = (): Promise<never> => Promise.reject(failure);

onEveryExpress((express) => {
  const serve = (options: RateLimitOptions): { app: Express; errors: unknown[] } => {
    const errors: unknown[] = [];
    const app = express();
    app.use(rateLimit(options));
    app.get('/', (_req, res) => void res.send('ok'));
    const onError: ErrorRequestHandler = (error, _req, res, _next) => {
      errors.push(error);
      res.status(500).json({ message: String(error.message) });
    };
    return { app: app.use(onError), errors };
  };

  describe("Express's error handler", () => {
    const refusing = { limit: 0, window: '1m' } as const;
    const counting = { limit: 5, window: '1m' } as const;

    describe.each([
      ['throws', throwing],
      ['rejects with', rejecting],
    ])('gets, once, the error that a callback %s:', (_, fail) => {
      it.each<[callback: string, options: RateLimitOptions]>([
        ['keyGenerator', { ...counting, keyGenerator: fail }],
        ['skip', { ...counting, skip: fail }],
        ['cost', { ...counting, cost: fail }],
        ['limit', { limit: fail, window: '1m' }],
        ['a tier', { limit: fail as () => never }],
        ['onLimitReached', { ...refusing, onLimitReached: fail }],
        ['message', { ...refusing, message: fail }],
      ])('%s', async (_, options) => {
        for (const store of [new MemoryStore(), asyncStore()]) {
          const { app, errors } = serve({ ...options, store });
          await supertest(app).get('/').expect(500, { message: failure.message });
          expect(errors).toEqual([failure]);
          expect(errors[0]).toBe(failure);
        }
      });
    });

    it.each<[what: string, code: string, options: RateLimitOptions]>([
      ['a negative cost', 'SLUICE_COST', { ...counting, cost: () => -1 }],
      ['a cost past 2^53', 'SLUICE_COST', { ...counting, cost: async () => 2 ** 53 }],
      ['a key that is NaN', 'SLUICE_KEY', { ...counting, keyGenerator: () => Number.NaN }],
      ['a key that is an object', 'SLUICE_KEY', { ...counting, keyGenerator: () => ({}) as string }],
      ['a tier that is undefined', 'SLUICE_OPTION', { limit: () => undefined as never }],
      ['a number of requests that is none', 'SLUICE_OPTION', { limit: () => Number.NaN, window: '1m' }],
      ['a message that is null', 'SLUICE_OPTION', { ...refusing, message: () => null as never }],
      ['a message that is a list', 'SLUICE_OPTION', { ...refusing, message: async () => ['no'] as never }],
    ])('gets an error with a code for %s: %s', async (_, code, options) => {
      const { app, errors } = serve(options);
      await supertest(app).get('/').expect(500);
      expect(errors).toEqual([expect.objectContaining({ name: 'SluiceError', code })]);
    });

    it.each([['route'], ['router'], [undefined]])(
      'gets an error for a callback that fails with %j, and the request is not admitted',
      async (reason) => {
        for (const store of [new MemoryStore(), asyncStore()]) {
          const { app, errors } = serve({ ...counting, store, keyGenerator: () => Promise.reject(reason) });
          await supertest(app).get('/').expect(500);
          expect(errors).toEqual([expect.objectContaining({ name: 'Error', cause: reason })]);
        }
      },
    );

    it('gets nothing for a refusal', async () => {
      const { app, errors } = serve(refusing);
      await supertest(app).get('/').expect(429);
      expect(errors).toEqual([]);
    });

    it('gets the error of a clock that cannot sleep until a turn', async () => {
      const memory = new MemoryStore();
      const clock = { now: () => memory.clock.now(), sleep: rejecting };
      const limit = leakyBucket({ capacity: 2, leakRate: 0.001 });
      const { app, errors } = serve({ limit, store: new MemoryStore({ clock }) });
      await supertest(app).get('/').expect(200);
      await supertest(app).get('/').expect(500, { message: failure.message });
      expect(errors).toEqual([failure]);
    });

    it('gets nothing if a client leaves while it waits for its turn', async () => {
      const clock = new ManualClock();
      const limit = leakyBucket({ capacity: 2, leakRate: 1 });
      const { app, errors } = serve({ limit, store: new MemoryStore({ clock }) });
      const ended: Promise<void>[] = [];
      const outer = express().use((_req, res, next) => {
        ended.push(new Promise((resolve) => res.once('close', () => setImmediate(resolve))));
        next();
      }, app);
      const server = createServer(outer).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const ask = (): ClientRequest => get({ port, host: '127.0.0.1', agent: false }).on('error', () => {});
      try {
        await once(ask(), 'response');
        const leaving = ask();
        await clock.untilSleeping(1);
        leaving.destroy();
        await ended[1];
        expect(errors).toEqual([]);
      } finally {
        server.close();
        server.closeAllConnections();
      }
    });

    it('may continue to another limiter, which states only its own refusal', async () => {
      const app = express();
      app.use(rateLimit({ name: 'first', limit: 0, window: '1h', onLimitReached: throwing }));
      const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next();
      app.use(goOn, rateLimit({ name: 'second', limit: 1, window: '1m', cost: 2 }));
      const answer = await supertest(app).get('/').expect(429);
      expect(answer.body).toMatchObject({ 'violated-policies': ['second'] });
    });

    it('gets the error of a handler, whatever the limiter did before', async () => {
      const errors: unknown[] = [];
      const app = express();
      app.use(rateLimit({ ...counting, keyGenerator: async () => 'all' }));
      app.get('/', throwing);
      const onError: ErrorRequestHandler = (error, _req, res, _next) => {
        errors.push(error);
        res.sendStatus(500);
      };
      await supertest(app.use(onError)).get('/').expect(500);
      expect(errors).toEqual([failure]);
    });
  });
});
