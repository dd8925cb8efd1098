import { createServer, IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import type { Request, RequestHandler } from 'express';
import supertest from 'supertest';
import { rateLimit } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

const limiter = (name: string) => rateLimit({ name, limit: 9, window: '1m' });
const sendPolicy: RequestHandler = (req, res) => void res.json(req.rateLimit?.policy ?? 'none');

onEveryExpress((express) => {
  const policySeen = async (app: ReturnType<typeof express>, path = '/'): Promise<unknown> =>
    (await supertest(app).get(path)).body;

  describe('req.rateLimit', () => {
    it('is that of the last policy', async () => {
      expect(await policySeen(express().use(limiter('first'), limiter('second')).get('/', sendPolicy))).toBe('second');
    });

    it('is written as JSON like a decision', async () => {
      const app = express()
        .use(limiter('all'))
        .get('/', (req, res) => void res.json(req.rateLimit));
      const { body } = await supertest(app).get('/');
      expect(body).toMatchObject({ policy: 'all', allowed: true, source: 'store', verdicts: [{ name: 'all' }] });
      expect(Object.keys(body)).not.toContain('policies');
    });

    it('is absent if no policy has counted the request', async () => {
      const app = express().get('/free', sendPolicy).use(limiter('all')).get('/', sendPolicy);
      expect(await policySeen(app)).toBe('all');
      expect(await policySeen(app, '/free')).toBe('none');
    });

    it('exists after and inside a mounted application', async () => {
      const behind = express()
        .use(express().use(limiter('inner')))
        .get('/', sendPolicy);
      expect(await policySeen(behind)).toBe('inner');
      const within = express().use(limiter('outer')).use(express().get('/', sendPolicy));
      expect(await policySeen(within)).toBe('outer');
    });

    it('may be set by others, and a later policy still knows earlier charges', async () => {
      const first = limiter('first');
      const app = express().use(first, (req, _res, next) => {
        Object.assign(req, { rateLimit: undefined });
        next(req.rateLimit);
      });
      app.use(rateLimit({ name: 'none', limit: 0, window: '1m' }));
      expect((await supertest(app).get('/')).status).toBe(429);
      expect((await first.peek(['ip', '127.0.0.1'])).tightest.remaining).toBe(9);
    });

    it('replaces a value of others, from the first request on', async () => {
      class Fresh extends IncomingMessage {
        ip = '203.0.113.7';
        rateLimit: unknown = { policy: 'other' };
      }
      const pass = limiter('fresh');
      const server = createServer({ IncomingMessage: Fresh }, (req, res) => {
        const request = req as unknown as Request;
        pass(request, res, () => void res.end(request.rateLimit?.policy));
      });
      expect((await supertest(server).get('/')).text).toBe('fresh');
    });

    it('is an own property of the request, and no prototype is changed', async () => {
      const pass = limiter('plain');
      const server = createServer((req: IncomingMessage & { rateLimit?: unknown }, res) => {
        const request = Object.assign(req, { ip: '203.0.113.7' }) as unknown as Request;
        pass(request, res, () => void res.end(String(Object.hasOwn(req, 'rateLimit'))));
      });
      expect((await supertest(server).get('/')).text).toBe('true');
      expect('rateLimit' in express.request).toBe(false);
    });
  });
});
