import { describe, expect, it } from '@jest/globals';
import { asyncStore } from '@sluice/test-kit/async-store';
import { type Context, Hono } from 'hono';
import { concurrency, leakyBucket, MemoryStore, type RateLimitOptions, rateLimit } from '../src/index.js';

const STORES = [
  ['in memory', () => new MemoryStore()],
  ['over an asynchronous store', asyncStore],
] as const;

const REFUSING: Readonly<Record<string, Partial<RateLimitOptions>>> = {
  'by its limit': {},
  'with a callback that only notes it': { onLimitReached: () => {} },
  'with a response of the application': { onLimitReached: () => new Response('later', { status: 429 }) },
  'because no slot is free': { limit: concurrency({ limit: 1, lease: '1m' }) },
  'because the bucket is full': { limit: leakyBucket({ capacity: 1, leakRate: 0.001 }) },
};

describe.each(STORES)('A limiter %s, within middleware that has set a default response,', (_, newStore) => {
  it.each(Object.keys(REFUSING))('replaces it by the refusal: %s', async (how) => {
    const own = REFUSING[how] as Partial<RateLimitOptions>;
    const window = own.limit === undefined ? { limit: 1, window: '1m' } : {};
    const options = { ...window, store: newStore(), keyGenerator: () => 'ann', ...own } as RateLimitOptions;
    const app = new Hono();
    app.use(async (c, next) => {
      c.res = c.text('default');
      await next();
    });
    app.use(rateLimit(options));
    // Hono ignores what a handler returns if there is a response.
    app.get('/', (c) => {
      c.res = c.text('ok');
      return c.res;
    });
    const [first, second] = [await app.request('/'), await app.request('/')];
    expect([first.status, second.status]).toEqual([200, 429]);
    expect(await first.text()).toBe('ok');
    expect(await second.text()).not.toBe('default');
  });
});

describe.each(STORES)('A limiter that a handler calls itself, %s,', (_, newStore) => {
  it.each(Object.keys(REFUSING))('returns the response of a refusal, and nothing else: %s', async (how) => {
    const own = REFUSING[how] as Partial<RateLimitOptions>;
    const window = own.limit === undefined ? { limit: 1, window: '1m' } : {};
    const options = { ...window, store: newStore(), keyGenerator: () => 'ann', ...own } as RateLimitOptions;
    const limiter = rateLimit(options);
    let admitted = 0;
    let end = (): void => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const app = new Hono();
    app.get('/', async (c: Context) => {
      const refused = await limiter(c, async () => {
        admitted += 1;
        if (how.includes('slot')) await held;
        c.res = c.text('ok');
      });
      return refused ?? c.res;
    });
    const first = app.request('/');
    if (!how.includes('slot')) await first;
    else for (let i = 0; i < 100 && admitted === 0; i += 1) await new Promise(setImmediate);
    const statuses = [(await app.request('/')).status, (await app.request('/')).status];
    end();
    const response = await first;
    // A slot is held until the body is read.
    await response.text();
    expect([response.status, ...statuses, admitted]).toEqual([200, 429, 429, 1]);
  });

  it('fails with what next throws', async () => {
    const limiter = rateLimit({ limit: 5, window: '1m', store: newStore(), keyGenerator: () => 'ann' });
    const thrown = new Error('of the handler');
    let caught: unknown;
    const app = new Hono();
    app.get('/', async (c) => {
      const failed = limiter(c, async () => {
        throw thrown;
      });
      await Promise.resolve(failed).catch((reason: unknown) => {
        caught = reason;
      });
      return c.text('ok');
    });
    await app.request('/');
    expect(caught).toBe(thrown);
  });
});
