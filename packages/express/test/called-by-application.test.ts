import { describe, expect, it, jest } from '@jest/globals';
import { asyncStore } from '@sluice/test-kit/async-store';
import type { Request, Response } from 'express';
import supertest from 'supertest';
import {
  byHeader,
  concurrency,
  fixedWindow,
  leakyBucket,
  MemoryStore,
  type RateLimitOptions,
  rateLimit,
} from '../src/index.js';
import { onEveryExpress } from './every-express.js';

const STORES = [
  ['in memory', () => new MemoryStore()],
  ['over an asynchronous store', asyncStore],
] as const;

const refusal = new Error('too many');

/** As an application does that calls a limiter itself: it turns a refusal into an error of its own. */
const REFUSING = {
  onLimitReached: () => {
    throw refusal;
  },
} satisfies Partial<RateLimitOptions>;

/** A request that the application makes up, for example for one of several calls in a batch. */
const madeUp = (): Request => ({ ip: '203.0.113.7', method: 'POST', url: '/batch' }) as unknown as Request;

const NO_RESPONSE = undefined as unknown as Response;

describe.each(STORES)('A limiter that an application calls itself, %s,', (_, newStore) => {
  const call = async (limiter: ReturnType<typeof rateLimit>, req: Request): Promise<void> => {
    await limiter(req, NO_RESPONSE, (error?: unknown) => {
      if (error) throw error;
    });
  };

  it('settles after next has run', async () => {
    const limiter = rateLimit({ limit: 1, window: '1m', store: newStore(), ...REFUSING });
    const next = jest.fn();
    await limiter(madeUp(), NO_RESPONSE, next);
    expect(next).toHaveBeenCalledTimes(1);
  });

  it('fails with what next throws', async () => {
    const limiter = rateLimit({ limit: 1, window: '1m', store: newStore(), ...REFUSING });
    await call(limiter, madeUp());
    await expect(call(limiter, madeUp())).rejects.toBe(refusal);
    const thrown = new Error('of the handler');
    const fail = async () =>
      limiter({ ...madeUp(), ip: '198.51.100.1' } as Request, NO_RESPONSE, () => {
        throw thrown;
      });
    await expect(fail()).rejects.toBe(thrown);
  });

  it('counts each call about one request object, whatever it has refused in between', async () => {
    const limiter = rateLimit({ limit: 3, window: '1m', store: newStore(), ...REFUSING });
    const req = madeUp();
    const ask = () =>
      call(limiter, req).then(
        () => 'admitted',
        () => 'refused',
      );
    const answers: string[] = [];
    for (let i = 0; i < 8; i += 1) answers.push(await ask());
    expect(answers).toEqual([...Array(3).fill('admitted'), ...Array(5).fill('refused')]);
  });

  it.each<[what: string, options: Partial<RateLimitOptions>, rule: RegExp]>([
    ['it can refuse nobody', {}, /can refuse nobody: pass it, or set an onLimitReached that throws/],
    ['it needs the status', { ...REFUSING, skipFailedRequests: true }, /whose status its options need: pass it/],
    ['requests wait', { ...REFUSING, maxWait: '1m' }, /how long a request may wait/],
    ['requests hold slots', { ...REFUSING, limit: concurrency({ limit: 1, lease: '1m' }) }, /or hold a slot: pass it/],
    ['requests have turns', { ...REFUSING, limit: leakyBucket({ capacity: 2, leakRate: 1 }) }, /may wait/],
    ['it refuses before it counts', { ...REFUSING, denyList: ['203.0.113.7'] }, /with the status 403: pass it/],
    ['the application does not throw', { limit: 0, onLimitReached: () => {} }, /with the status 429: pass it/],
  ])(
    'says what is missing without a response, at the first call for which that matters: %s',
    async (_, options, rule) => {
      const limit = options.limit ?? 1;
      const window = typeof limit === 'object' ? {} : ({ window: '1m' } as const);
      const limiter = rateLimit({ ...window, ...options, limit, store: newStore() } as RateLimitOptions);
      const asked = async () => {
        for (let i = 0; i < 2; i += 1) await call(limiter, madeUp());
      };
      await expect(asked()).rejects.toMatchObject({
        code: 'SLUICE_UNSUPPORTED',
        message: expect.stringMatching(rule),
      });
    },
  );

  it('needs no header fields to count by address, by a field that is absent, or by lists', async () => {
    const store = newStore();
    const common = { limit: 1, window: '1m', store, ...REFUSING } as const;
    const limiters = [
      rateLimit({ ...common, name: 'by-address' }),
      rateLimit({ ...common, name: 'by-key', keyGenerator: byHeader('x-api-key') }),
      rateLimit({ ...common, name: 'with-lists', denyList: ['192.0.2.1'], allowList: ['192.0.2.2'] }),
      rateLimit({ ...common, name: 'by-function', keyGenerator: ({ ip }) => ip }),
    ];
    for (const limiter of limiters) {
      await call(limiter, madeUp());
      await expect(call(limiter, madeUp())).rejects.toBe(refusal);
    }
  });
});

onEveryExpress((express) => {
  describe.each(STORES)('Limiters that an application asks at the same time, %s,', (_, newStore) => {
    it.each([
      ['the one that refuses first', ['strict', 'loose']],
      ['the one that refuses last', ['loose', 'strict']],
    ] as const)('give back what they have admitted if one refuses: %s', async (_, order) => {
      const store = newStore();
      const limiters = {
        strict: rateLimit({ name: 'strict', limit: fixedWindow({ limit: 3, window: '1m' }), store }),
        loose: rateLimit({ name: 'loose', limit: fixedWindow({ limit: 10, window: '1m' }), store }),
      };
      const app = express();
      app.use(async (req, res, next) => {
        let admitted = 0;
        const count = (error?: unknown) => {
          if (error) next(error);
          else admitted += 1;
        };
        await Promise.all(order.map((name) => limiters[name](req, res, count)));
        if (admitted === 2) next();
      });
      app.use((_req, res) => void res.send('ok'));
      const statuses: number[] = [];
      for (let i = 0; i < 8; i += 1) statuses.push((await supertest(app).get('/')).status);
      expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
      expect((await limiters.loose.peek(['ip', '127.0.0.1'])).tightest.remaining).toBe(7);
    });

    it.each<[string, Pick<RateLimitOptions, 'onLimitReached' | 'problem'>]>([
      ['at once', {}],
      ['after a callback', { onLimitReached: () => {} }],
      ['with members of their own', { problem: async () => ({ support: 'https://example.com' }) }],
    ])('send one response if all of them refuse %s', async (_, own) => {
      const store = newStore();
      const limiters = ['one', 'two', 'three'].map((name) =>
        rateLimit({ name, limit: 1, window: '1m', store, ...own }),
      );
      const app = express();
      app.use(async (req, res, next) => {
        let admitted = 0;
        await Promise.all(
          limiters.map((limiter) => limiter(req, res, (error) => void (error ? next(error) : admitted++))),
        );
        if (admitted === limiters.length) next();
      });
      app.use((_req, res) => void res.send('ok'));
      const statuses: number[] = [];
      for (let i = 0; i < 3; i += 1) statuses.push((await supertest(app).get('/')).status);
      expect(statuses).toEqual([200, 429, 429]);
    });
  });
});
