import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createShedder } from '@sluice/core/load';
import { expectExempt, SKIPPED } from '@sluice/test-kit/shedding/expect-exempt';
import { handle } from '@sluice/test-kit/shedding/triple-load';
import express5, { type Express } from 'express';
import supertest from 'supertest';
import { rateLimit, type Shedder, shedLoad } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

/** A shedder without a free place. */
function full(): Shedder {
  const shedder = createShedder({ loop: false, inFlight: { algorithm: 'aimd', initial: 1, max: 1 } });
  shedder.admit('critical');
  return shedder;
}

const open: Server[] = [];

async function listen(app: Express): Promise<string> {
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  open.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of open.splice(0)) server.close().closeAllConnections();
});

onEveryExpress((express) => {
  describe('shedLoad()', () => {
    it('runs nothing behind it for a refused request', async () => {
      const order: string[] = [];
      const app = express();
      app.use((_req, _res, next) => {
        order.push('before');
        next();
      });
      app.use(shedLoad({ shedder: full() }));
      app.use(express.json(), (_req, _res, next) => {
        order.push('behind');
        next();
      });
      app.use((_error: unknown, _req: unknown, res: express5.Response, _next: express5.NextFunction) => {
        order.push('error handler');
        res.end();
      });
      const answer = await supertest(app)
        .post('/')
        .send({ large: 'x'.repeat(1000) });
      expect(answer.status).toBe(503);
      expect(order).toEqual(['before']);
    });

    it('keeps the fields that were set before it', async () => {
      const app = express();
      app.use((_req, res, next) => {
        res.set('Access-Control-Allow-Origin', '*');
        next();
      });
      app.use(shedLoad({ shedder: full() }));
      const { headers } = await supertest(app).get('/').expect(503);
      expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'retry-after': expect.any(String) });
    });

    it('calls next in the same tick', async () => {
      const order: string[] = [];
      const app = express();
      app.use((_req, _res, next) => {
        next();
        order.push('after the chain');
      });
      app.use(shedLoad());
      app.get('/', (_req, res) => {
        order.push('handler');
        res.send('ok');
      });
      await supertest(app).get('/').expect(200);
      expect(order).toEqual(['handler', 'after the chain']);
    });

    it.each(['application', 'router'])('knows health checks by their whole path in a mounted %s', async (kind) => {
      const inner = kind === 'router' ? express.Router() : express();
      inner.use(shedLoad({ shedder: full(), health: ['/api/livez', '/livez'] }));
      inner.get('/:name', (req, res) => void res.send(req.path));
      inner.get('/', (_req, res) => void res.send('ok'));
      const app = express();
      for (const path of ['/api', '/livez', '/users']) app.use(path, inner);
      const statuses: Record<string, number> = {};
      const paths = [
        '/api/livez',
        '/api/livez?verbose',
        '/livez',
        '/users/livez',
        '/livez/livez',
        '/api',
        '/api/livezz',
      ];
      for (const path of paths) statuses[path] = (await supertest(app).get(path)).status;
      expect(Object.values(statuses)).toEqual([200, 200, 200, 503, 503, 503, 503]);
    });

    it('counts a request once that passes it on the application and on a router', async () => {
      const shed = shedLoad();
      const router = express.Router();
      router.use(shed);
      router.get('/', (req, res) => void res.send(String(req.load?.inFlight)));
      const app = express();
      app.use(shed);
      app.use('/api', shed, router);
      expect((await supertest(app).get('/api').expect(200)).text).toBe('1');
    });

    it('can have one shedder for several applications', async () => {
      const shedder = full();
      for (const shed of [shedLoad({ shedder }), shedLoad({ shedder, priority: 'low' })]) {
        const app = express();
        app.use(shed);
        app.use((_req, res) => void res.send('ok'));
        expect(shed.shedder).toBe(shedder);
        await supertest(app).get('/').expect(503);
        await supertest(app).get('/livez').expect(200);
      }
    });

    it('asks no limit behind it about a refused request', async () => {
      const limiter = rateLimit({ name: 'api', limit: 5, window: '1m', keyGenerator: () => 'all' });
      const app = express();
      app.use(shedLoad({ shedder: full() }), limiter);
      const { headers } = await supertest(app).get('/').expect(503);
      expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
      expect((await limiter.peek('all')).verdicts[0]?.remaining).toBe(5);
    });
  });
});

it('Without an application, requests of Node are shed as well', async () => {
  const shed = shedLoad({ shedder: full() });
  const server = createServer((req, res) => {
    shed(req as express5.Request, res as express5.Response, () => void res.end('ok'));
  });
  await supertest(server).get('/').expect(503);
  await supertest(server).get('/livez').expect(200, 'ok');
});

it('At three times the load, health checks and skipped requests are never refused', async () => {
  const app = express5();
  app.use(shedLoad({ skip: (req) => req.path === SKIPPED, inFlight: { initial: 4, max: 4 } }));
  app.use(async (_req, res) => {
    await handle();
    res.send('ok');
  });
  await expectExempt(await listen(app));
});
