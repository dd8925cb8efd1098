import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import type { ErrorRequestHandler, Express } from 'express';
import supertest from 'supertest';
import { concurrency, type RateLimitOptions, rateLimit } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

onEveryExpress((express) => {
  /** An application that begins its answer before the limiter runs. */
  const appBegun = (options: RateLimitOptions): Express => {
    const app = express();
    app.use((_req, res, next) => {
      res.write('begun, ');
      next();
    });
    app.use(rateLimit(options));
    return app.get('/', (_req, res) => void res.end('ended'));
  };

  describe('A response that was begun before the limiter', () => {
    it.each([
      ['', {}],
      [', the store asked later', { keyGenerator: async () => 'all' }],
    ])('continues without header fields%s', async (_, own) => {
      const answer = await supertest(appBegun({ limit: 5, window: '1m', ...own })).get('/');
      expect(answer.text).toBe('begun, ended');
      expect(answer.headers).not.toHaveProperty('ratelimit');
    });

    it('frees its slot', async () => {
      const app = appBegun({ limit: concurrency({ limit: 1, lease: '30s' }) });
      for (let i = 0; i < 3; i += 1) expect((await supertest(app).get('/')).text).toBe('begun, ended');
    });

    it('is not changed if the address is on the deny list', async () => {
      const app = express();
      const errors: unknown[] = [];
      app.use((_req, res, next) => {
        res.write('begun, ');
        next();
        res.end('ended');
      });
      app.use(rateLimit({ limit: 5, window: '1m', denyList: ['127.0.0.1', '::1'] }));
      app.use(((error, _req, res, _next) => {
        errors.push(error);
        res.destroy();
      }) satisfies ErrorRequestHandler);
      expect((await supertest(app).get('/')).text).toBe('begun, ended');
      expect(errors).toEqual([]);
    });

    it('is left to onLimitReached if the request is refused', async () => {
      const app = appBegun({ limit: 0, window: '1m', onLimitReached: (_req, res) => res.end('refused') });
      expect((await supertest(app).get('/')).text).toBe('begun, refused');
    });
  });

  it('A response that was sent while the key was looked up is not changed', async () => {
    const app = express().set('env', 'test');
    let next = (): void => {};
    const limited = new Promise<void>((resolve) => {
      next = resolve;
    });
    app.use((_req, res, go) => {
      res.on('finish', next);
      go();
      res.status(504).send('too late');
    });
    app.use(rateLimit({ limit: 5, window: '1m', keyGenerator: () => limited.then(() => 'all') }));
    const handled = new Promise<boolean>((resolve) => {
      app.use((_req, res) => resolve(res.headersSent));
    });
    await supertest(app).get('/').expect(504, 'too late');
    expect(await handled).toBe(true);
  });

  it('A response that was sent while the message was made is not changed', async () => {
    const app = express().set('env', 'test');
    const errors: unknown[] = [];
    let answered: Promise<unknown> = Promise.resolve();
    app.use((_req, res, next) => {
      answered = once(res, 'finish');
      next();
      res.status(504).send('too late');
    });
    let made = (): void => {};
    const isMade = new Promise<void>((resolve) => {
      made = resolve;
    });
    const message = () => answered.then(() => setImmediate(made)).then(() => 'no more');
    app.use(rateLimit({ limit: 0, window: '1m', message }));
    app.use(((error, _req, _res, _next) => void errors.push(error)) satisfies ErrorRequestHandler);
    await supertest(app).get('/').expect(504, 'too late');
    await isMade;
    expect(errors).toEqual([]);
  });

  it('An onLimitReached can stream its response', async () => {
    const app = express();
    const onLimitReached: NonNullable<RateLimitOptions['onLimitReached']> = (_req, res) => {
      res.status(429).write('slow ');
      setImmediate(() => res.end('down'));
    };
    app.use(rateLimit({ limit: 0, window: '1m', onLimitReached }));
    await supertest(app).get('/').expect(429, 'slow down');
  });

  it('An onLimitReached that closes the connection does not stop the server', async () => {
    const app = express();
    app.use(
      rateLimit({
        limit: 1,
        window: '1m',
        onLimitReached: (_req, res) => void (res.statusCode === 200 && res.destroy()),
      }),
    );
    app.get('/', (_req, res) => void res.send('ok'));
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const ask = async (): Promise<string> => {
      const { port } = server.address() as AddressInfo;
      const [answer] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
      return text(answer);
    };
    try {
      expect(await ask()).toBe('ok');
      await expect(ask()).rejects.toThrow('socket hang up');
      await expect(ask()).rejects.toThrow('socket hang up');
    } finally {
      server.close();
    }
  });
});
