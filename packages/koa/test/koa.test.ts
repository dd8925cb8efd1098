import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { serveNode } from '@sluice/test-kit/serve-node';
import Koa from 'koa';
import { byHeader, byIp, firstOf, MemoryStore, type RateLimitOptions, rateLimit } from '../src/index.js';

/** Serves an application, of which everybody counts as one. Returns what asks it. */
async function serving(options: Partial<RateLimitOptions>, handler: Koa.Middleware) {
  const store = new MemoryStore({ clock: new ManualClock() });
  const limiter = rateLimit({
    limit: 5,
    window: '1m',
    store,
    keyGenerator: () => 'all',
    ...options,
  } as RateLimitOptions);
  const app = new Koa();
  app.silent = true;
  app.use(limiter).use(handler);
  const { url } = closedAfterTest(await serveNode(app.callback()));
  return { limiter, ask: (headers: Record<string, string> = {}) => fetch(url, { headers }) };
}

describe('header fields', () => {
  it('are on a 404, and on the response to an error', async () => {
    const { ask } = await serving({}, () => {});
    expect([(await ask()).status, (await ask()).headers.get('ratelimit')]).toEqual([404, '"per-1m";r=3;t=60']);
    const failing = await serving({}, () => {
      throw new Error('the handler is broken');
    });
    const response = await failing.ask();
    expect([response.status, response.headers.get('ratelimit')]).toEqual([500, '"per-1m";r=4;t=60']);
  });

  it('stand beside those that an error computes, and leave its status', async () => {
    class Gone extends Error {
      readonly status = 410;
      get headers() {
        return { 'X-Gone': 'yes' };
      }
    }
    const { ask } = await serving({}, () => {
      throw new Gone();
    });
    const { status, headers } = await ask();
    expect([status, headers.get('x-gone'), headers.get('ratelimit')]).toEqual([410, 'yes', '"per-1m";r=4;t=60']);
  });

  it('stand beside those of an error of the application', async () => {
    const { ask } = await serving({}, (ctx) => ctx.throw(401, 'who?', { headers: { 'WWW-Authenticate': 'Basic' } }));
    const { status, headers } = await ask();
    expect([status, headers.get('www-authenticate'), headers.get('x-ratelimit-remaining')]).toEqual([
      401,
      'Basic',
      '4',
    ]);
  });
});

it('A refusal is a problem, and the handler does not run', async () => {
  let calls = 0;
  const { ask } = await serving({ limit: 1 }, (ctx) => {
    calls += 1;
    ctx.body = 'ok';
  });
  await ask();
  const refused = await ask();
  expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
  expect(await refused.json()).toMatchObject({ status: 429, 'violated-policies': ['per-1m'] });
  expect(calls).toBe(1);
});

it.each<[how: string, own: Partial<RateLimitOptions>, statuses: number[], body: RegExp]>([
  ['by the problem', {}, [200, 429], /Quota Exceeded/],
  ['after a hook that only notes it', { onLimitReached: () => {} }, [200, 429], /Quota Exceeded/],
  [
    'by the hook',
    {
      onLimitReached(ctx) {
        ctx.status = 503;
        ctx.body = 'later';
      },
    },
    [200, 503],
    /^later$/,
  ],
])('A refusal replaces a default response of middleware around the policy: %s', async (_, own, statuses, body) => {
  const options = { limit: 1, window: '1m', store: new MemoryStore(), keyGenerator: () => 'all', ...own };
  const limiter = rateLimit(options as RateLimitOptions);
  const app = new Koa();
  app.use((ctx, next) => {
    ctx.status = 200;
    ctx.body = 'default';
    return next();
  });
  app.use(limiter);
  const { url } = closedAfterTest(await serveNode(app.callback()));
  const [first, second] = [await fetch(url), await fetch(url)];
  expect([first.status, second.status]).toEqual(statuses);
  expect([await first.text(), await second.text()]).toEqual(['default', expect.stringMatching(body)]);
});

it('Keys come from a header, or else from the address', async () => {
  const { ask } = await serving({ limit: 1, keyGenerator: firstOf(byHeader('x-api-key'), byIp()) }, () => {});
  const statuses: number[] = [];
  for (const headers of [{ 'X-Api-Key': 'k' }, { 'X-Api-Key': 'k' }, {}, {}])
    statuses.push((await ask(headers)).status);
  expect(statuses).toEqual([404, 429, 404, 429]);
  expect(() => firstOf(byIp(), 5 as never)).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path: 'keys[1]' }),
  );
});

it('The handle peeks, consumes, reserves and resets', async () => {
  const { limiter, ask } = await serving({}, async (ctx) => {
    const { tightest } = await limiter.consume(ctx);
    ctx.body = [tightest.remaining, (await limiter.peek(ctx)).tightest.remaining];
  });
  expect(await (await ask()).json()).toEqual([3, 3]);
  const reservation = await limiter.reserve('other');
  await reservation.cancel();
  expect((await limiter.peek('other')).tightest.remaining).toBe(5);
  expect([await limiter.reset('all'), await limiter.reset('nobody')]).toEqual([true, false]);
});

it('A limiter that an application calls itself says that it needs a context', async () => {
  const limiter = rateLimit({ limit: 1, window: '1m' });
  await expect(limiter(undefined as never, async () => {})).rejects.toMatchObject({
    code: 'SLUICE_UNSUPPORTED',
    message: expect.stringContaining('was called without a context: pass it'),
  });
});
