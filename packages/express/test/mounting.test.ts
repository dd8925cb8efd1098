import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { concurrency, ipKey, MemoryStore, rateLimit, slidingWindow } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

const minute = (limit: number) => ({ limit, window: '1m' }) as const;

/** A store that answers nothing. */
class LostStore extends MemoryStore {
  override consume(): never {
    throw new Error('the connection is lost');
  }
}

onEveryExpress((express) => {
  describe('rateLimit()', () => {
    it('calls next in the same tick over a synchronous store', async () => {
      const order: string[] = [];
      const app = express();
      app.use((_req, _res, next) => {
        next();
        order.push('after the chain');
      });
      app.use(rateLimit({ limits: [slidingWindow(minute(5)), concurrency({ limit: 2, lease: '30s' })] }));
      app.get('/', (_req, res) => {
        order.push('handler');
        res.send('ok');
      });
      await supertest(app).get('/').expect(200);
      expect(order).toEqual(['handler', 'after the chain']);
    });

    it('limits the path that it is mounted on, and no other', async () => {
      const app = express();
      app.use('/api', rateLimit(minute(1)));
      app.use((req, res) => void res.send(req.originalUrl));
      const agent = supertest(app);
      await agent.get('/api/a').expect(200);
      await agent.get('/api/b').expect(429);
      const other = await agent.get('/other').expect(200);
      expect(other.headers).not.toHaveProperty('ratelimit');
    });

    it('limits one route if it is before the handler', async () => {
      const app = express();
      app.get('/report/:id', rateLimit(minute(1)), (req, res) => void res.send(req.params.id));
      app.post('/report/:id', (_req, res) => void res.send('written'));
      const agent = supertest(app);
      expect((await agent.get('/report/7').expect(200)).text).toBe('7');
      await agent.get('/report/8').expect(429);
      await agent.post('/report/7').expect(200);
    });

    it('limits requests without a route', async () => {
      const app = express();
      app.use(rateLimit(minute(1)));
      await supertest(app).get('/nothing').expect(404);
      await supertest(app).get('/nothing').expect(429);
    });

    it('shares the request with limiters on routers and sub-applications', async () => {
      const store = new MemoryStore();
      const router = express.Router();
      router.use(rateLimit({ name: 'router', ...minute(7), store }));
      const sub = express();
      sub.use(rateLimit({ name: 'sub', ...minute(1), store }));
      sub.get('/', (req, res) => void res.send(req.rateLimit?.policy));
      router.use('/sub', sub);
      const app = express();
      app.use(rateLimit({ name: 'site', ...minute(9), store }));
      app.use('/router', router);

      const answer = await supertest(app).get('/router/sub').expect(200);
      expect(answer.text).toBe('sub');
      expect(answer.headers['ratelimit-policy']).toBe('"site";q=9;w=60,"router";q=7;w=60,"sub";q=1;w=60');
      await supertest(app).get('/router/sub').expect(429);
      const besides = await supertest(app).get('/router').expect(404);
      // What the sub-application refused was given back.
      expect(besides.headers.ratelimit).toBe('"site";r=7;t=60,"router";r=5;t=60');
    });

    it('mounted twice counts twice, and states what is left after both', async () => {
      const limiter = rateLimit(minute(3));
      const app = express();
      app.use(limiter, limiter);
      app.get('/', (_req, res) => void res.send('ok'));
      const answer = await supertest(app).get('/').expect(200);
      expect(answer.headers['ratelimit-policy']).toBe('"per-1m";q=3;w=60');
      expect(answer.headers.ratelimit).toBe('"per-1m";r=1;t=60');
      await supertest(app).get('/').expect(429);
    });

    it('counts by data of earlier middleware', async () => {
      const app = express();
      app.use((req, res, next) => {
        res.locals.user = req.get('authorization');
        next();
      });
      app.use(rateLimit({ ...minute(1), keyGenerator: (_req, res) => ['user', res.locals.user] }));
      app.get('/', (_req, res) => void res.send('ok'));
      const statusFor = async (user: string) => (await supertest(app).get('/').set('Authorization', user)).status;
      for (const user of ['ann', 'bob']) {
        expect(await statusFor(user)).toBe(200);
        expect(await statusFor(user)).toBe(429);
      }
    });

    it('is the handle of its policy: reset removes a key', async () => {
      const limiter = rateLimit({ name: 'login', ...minute(1) });
      expect(limiter.policy).toBe('login');
      const app = express();
      app.get('/', limiter, (_req, res) => void res.send('ok'));
      await supertest(app).get('/').expect(200);
      await supertest(app).get('/').expect(429);
      await limiter.reset(ipKey('127.0.0.1'));
      await supertest(app).get('/').expect(200);
    });
  });

  describe('Several rateLimit() on one store', () => {
    it('count separately under different names', async () => {
      const store = new MemoryStore();
      const app = express();
      app.get('/a', rateLimit({ name: 'a', ...minute(1), store }), (_req, res) => void res.send('a'));
      app.get('/b', rateLimit({ name: 'b', ...minute(1), store }), (_req, res) => void res.send('b'));
      for (const path of ['/a', '/b']) {
        await supertest(app).get(path).expect(200);
        await supertest(app).get(path).expect(429);
      }
    });

    it.each([[undefined], ['same']])('are refused if both have the name %p', (name) => {
      const store = new MemoryStore();
      const options = () => ({ ...minute(1), store, ...(name !== undefined && { name }) });
      rateLimit(options());
      expect(() => rateLimit(options())).toThrow(
        expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME', path: 'name', received: name ?? 'default' }),
      );
    });

    it('count together if they have the same options', async () => {
      const options = { ...minute(2), store: new MemoryStore() };
      const app = express();
      app.get('/a', rateLimit(options), (_req, res) => void res.send('a'));
      app.get('/b', rateLimit(options), (_req, res) => void res.send('b'));
      await supertest(app).get('/a').expect(200);
      await supertest(app).get('/b').expect(200);
      await supertest(app).get('/a').expect(429);
    });

    it('count together if they have the same options, also while the store fails', async () => {
      const options = { ...minute(2), store: new LostStore() };
      const app = express();
      for (const path of ['/a', '/b', '/c']) app.get(path, rateLimit(options), (_req, res) => void res.send(path));
      const agent = supertest(app);
      const statuses: number[] = [];
      for (const path of ['/a', '/b', '/c', '/a']) statuses.push((await agent.get(path)).status);
      expect(statuses).toEqual([200, 200, 429, 429]);
    });

    it('need no names if each has its own store', async () => {
      const app = express();
      app.use(rateLimit(minute(5)), rateLimit(minute(4)));
      app.get('/', (_req, res) => void res.send('ok'));
      const answer = await supertest(app).get('/').expect(200);
      expect(answer.headers.ratelimit).toBe('"per-1m";r=4;t=60,"default:per-1m";r=3;t=60');
    });

    it('do not use a name if its options were refused', () => {
      const store = new MemoryStore();
      expect(() => rateLimit({ ...minute(1), store, standardHeaders: 'draft-5' as never })).toThrow();
      expect(() => rateLimit({ ...minute(1), store })).not.toThrow();
    });
  });
});
