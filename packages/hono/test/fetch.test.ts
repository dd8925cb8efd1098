import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { type Context, Hono } from 'hono';
import { etag } from 'hono/etag';
import { HTTPException } from 'hono/http-exception';
import { streamText } from 'hono/streaming';
import {
  type AddressList,
  addressList,
  byHeader,
  byIp,
  clientAddress,
  concurrency,
  firstOf,
  MemoryStore,
  type RateLimitOptions,
  rateLimit,
  slidingWindow,
} from '../src/index.js';

const FIVE = slidingWindow({ limit: 5, window: '1m' });
const SLOT = concurrency({ limit: 1, lease: '30s' });

/** An application, of which everybody counts as one. */
function appWith(options: Partial<RateLimitOptions>) {
  const store = new MemoryStore({ clock: new ManualClock() });
  const limiter = rateLimit({ limit: FIVE, store, keyGenerator: () => 'all', ...options } as RateLimitOptions);
  const app = new Hono().use(limiter);
  const left = async (): Promise<Record<string, number>> => {
    const { verdicts } = await limiter.peek('all');
    return Object.fromEntries(verdicts.map(({ name, remaining }) => [name, remaining]));
  };
  return { app, limiter, left };
}

const fieldsOf = ({ headers }: Response): (string | null)[] => [
  headers.get('ratelimit'),
  headers.get('ratelimit-policy'),
];
const FIRST = ['"per-1m";r=4;t=60', '"per-1m";q=5;w=60'];

describe('header fields without a server', () => {
  it('of extraHeaders stand beside the cookies and Vary of an earlier middleware', async () => {
    const { limiter } = appWith({ extraHeaders: { 'Set-Cookie': 'plan=free', Vary: 'X-Api-Key', 'X-Plan': 'free' } });
    const app = new Hono();
    app.use(async (c, next) => {
      c.header('Vary', 'Accept');
      c.header('Set-Cookie', 'seen=yes');
      c.header('X-Plan', 'none');
      await next();
    });
    const { headers } = await app
      .use(limiter)
      .get('/', (c) => c.text('hello'))
      .request('/');
    expect(headers.get('vary')).toBe('Accept, X-Api-Key');
    expect(headers.getSetCookie()).toEqual(['seen=yes', 'plan=free']);
    expect(headers.get('x-plan')).toBe('free');
  });

  it("of extraHeaders of two policies are added to a handler's own Response", async () => {
    const { app } = appWith({ extraHeaders: { 'Set-Cookie': 'plan=free', Vary: 'X-Api-Key' } });
    app.use(
      rateLimit({
        name: 'two',
        limit: FIVE,
        keyGenerator: () => 'all',
        extraHeaders: () => ({ 'Set-Cookie': 'two=2', vary: 'X-Two' }),
      }),
    );
    app.get('/', () => new Response('hello', { headers: { Vary: 'X-Two-Three', 'Set-Cookie': 'own=1' } }));
    const { headers } = await app.request('/');
    expect(headers.get('vary')).toBe('X-Two-Three, X-Api-Key, X-Two');
    expect(headers.getSetCookie()).toEqual(['own=1', 'plan=free', 'two=2']);
  });

  const ANSWERS: Readonly<Record<string, (c: Context) => Response | Promise<Response>>> = {
    'text of the context': (c) => c.text('hello'),
    'a Response of its own': () => new Response('hello'),
    'a Response whose headers cannot be changed': () => Response.redirect('http://localhost/other', 302),
    'an answer of fetch()': () => fetch('data:,hello'),
    nothing: (c) => c.notFound(),
    'an error': () => {
      throw new Error('the handler is broken');
    },
    'an exception with an answer': () => {
      throw new HTTPException(401, { res: new Response('who?', { status: 401 }) });
    },
  };

  it.each(Object.keys(ANSWERS))('are on %s', async (what) => {
    const { app } = appWith({ extraHeaders: { 'X-Plan': 'free' } });
    app.onError((error, c) => (error instanceof HTTPException ? error.getResponse() : c.text('broken', 500)));
    app.get('/', (c) => ANSWERS[what]?.(c) ?? c.notFound());
    const response = await app.request('/');
    expect(fieldsOf(response)).toEqual(FIRST);
    expect(response.headers.get('x-plan')).toBe('free');
  });

  it('are those of each request on a Response that a handler returns again', async () => {
    const noContent = new Response(null, { status: 204 });
    const { app } = appWith({});
    app.get('/', () => noContent);
    const left = [];
    for (let i = 0; i < 3; i += 1) left.push(fieldsOf(await app.request('/'))[0]);
    expect(left).toEqual([4, 3, 2].map((rest) => `"per-1m";r=${rest};t=60`));
  });

  it('are on responses to a path without a handler, and to HEAD', async () => {
    const { app } = appWith({});
    app.get('/', (c) => c.text('hello'));
    expect(fieldsOf(await app.request('/nowhere'))).toEqual(FIRST);
    const head = await app.request('/', { method: 'HEAD' });
    expect([head.status, head.body, fieldsOf(head)[0]]).toEqual([200, null, '"per-1m";r=3;t=60']);
  });

  it('of a handler stay as they are', async () => {
    const { app } = appWith({});
    app.get('/', () => new Response('hello', { headers: { RateLimit: 'mine' } }));
    expect(fieldsOf(await app.request('/'))).toEqual(['mine', FIRST[1]]);
  });

  it('state all policies of a request, on an own Response', async () => {
    const { app } = appWith({ name: 'outer' });
    app.use(rateLimit({ name: 'inner', limit: 2, window: '1s', keyGenerator: () => 'all' }));
    app.get('/', () => new Response('hello'));
    const [limits] = fieldsOf(await app.request('/'));
    expect(limits).toBe('"outer";r=4;t=60,"inner";r=1;t=1');
  });
});

describe('refusals', () => {
  it('are problems, with the fields of other middleware', async () => {
    const app = new Hono().use(async (c, next) => {
      c.header('Access-Control-Allow-Origin', '*');
      await next();
    });
    app.use(rateLimit({ limit: 1, window: '1m', keyGenerator: () => 'all' }));
    await app.request('/');
    const refused = await app.request('/');
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.json()).toMatchObject({ status: 429, 'violated-policies': ['per-1m'] });
  });

  it('are the Response that onLimitReached returns', async () => {
    const { app } = appWith({
      limit: slidingWindow({ limit: 1, window: '1m' }),
      onLimitReached: async (_c, { retryAfterMs }) => new Response(`wait ${retryAfterMs}`, { status: 418 }),
    });
    await app.request('/');
    const refused = await app.request('/');
    expect([refused.status, await refused.text()]).toEqual([418, 'wait 60000']);
    expect(refused.headers.get('retry-after')).toBe('60');
  });

  it('are the problem, if onLimitReached returns anything else', async () => {
    const { app } = appWith({
      limit: slidingWindow({ limit: 0, window: '1m' }),
      onLimitReached: () => ({ status: 1 }),
    });
    expect((await app.request('/')).status).toBe(429);
  });

  it('do not run the handler', async () => {
    let calls = 0;
    const { app } = appWith({ limit: slidingWindow({ limit: 1, window: '1m' }) });
    app.get('/', (c) => {
      calls += 1;
      return c.text('hello');
    });
    for (const status of [200, 429, 429]) expect((await app.request('/')).status).toBe(status);
    expect(calls).toBe(1);
  });
});

describe('slots without a server', () => {
  it('are held until the body has been read', async () => {
    const { app, left } = appWith({ limit: SLOT });
    app.get('/', (c) => c.text('hello'));
    const response = await app.request('/');
    expect(await left()).toEqual({ concurrency: 0 });
    expect((await app.request('/')).status).toBe(429);
    expect(await response.text()).toBe('hello');
    expect(await left()).toEqual({ concurrency: 1 });
  });

  it('are held until a stream has ended', async () => {
    const { app, left } = appWith({ limit: SLOT });
    app.get('/', (c) =>
      streamText(c, async (stream) => {
        await stream.write('one, ');
        await stream.write('two');
      }),
    );
    const response = await app.request('/');
    expect(await left()).toEqual({ concurrency: 0 });
    expect(await response.text()).toBe('one, two');
    expect(await left()).toEqual({ concurrency: 1 });
  });

  it('are freed when nobody reads the rest of the body, and the source learns of it', async () => {
    const { app, left } = appWith({ limits: [SLOT, FIVE], limit: undefined, skipFailedRequests: true } as never);
    let reason: unknown;
    app.get('/', () => {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(10)),
        cancel: (why) => {
          reason = why;
        },
      });
      return new Response(body);
    });
    const { body } = await app.request('/');
    await body?.cancel('enough');
    expect(reason).toBe('enough');
    expect(await left()).toEqual({ concurrency: 1, 'per-1m': 4 });
  });

  it('are freed when a stream breaks off, which is a failure', async () => {
    const { app, left } = appWith({ limits: [SLOT, FIVE], limit: undefined, skipFailedRequests: true } as never);
    app.get('/', () => new Response(new ReadableStream({ pull: () => Promise.reject(new Error('broken')) })));
    const response = await app.request('/');
    await expect(response.text()).rejects.toThrow('broken');
    expect(await left()).toEqual({ concurrency: 1, 'per-1m': 5 });
  });

  it('are freed when the handler of a client that has left has ended', async () => {
    const { app, left } = appWith({ limit: SLOT });
    const client = new AbortController();
    let end = (): void => {};
    const begun = new Promise<void>((resolve) => {
      app.get('/', async (c) => {
        resolve();
        await new Promise<void>((ended) => {
          end = ended;
        });
        return c.text('hello');
      });
    });
    const answer = app.request('/', { signal: client.signal });
    await begun;
    client.abort();
    expect(await left()).toEqual({ concurrency: 0 });
    end();
    await answer;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await left()).toEqual({ concurrency: 1 });
  });

  it.each(['HEAD', 'GET'])('are freed after a response to %s without a body', async (method) => {
    const { app, left } = appWith({ limit: SLOT });
    app.get('/', (c) => (method === 'HEAD' ? c.text('dropped') : c.body(null, 204)));
    await app.request('/', { method });
    expect(await left()).toEqual({ concurrency: 1 });
  });

  it('are freed when a handler throws a value that is no error', async () => {
    const { app, left } = appWith({ limits: [SLOT, FIVE], limit: undefined, skipFailedRequests: true } as never);
    app.get('/', () => {
      throw 'no error';
    });
    await expect(app.request('/')).rejects.toBe('no error');
    expect(await left()).toEqual({ concurrency: 1, 'per-1m': 5 });
  });

  it('are freed if another middleware responds with 304 instead', async () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    const limiter = rateLimit({ limit: SLOT, store, keyGenerator: () => 'all' });
    const app = new Hono().use(etag()).use(limiter);
    app.get('/', (c) => c.text('hello'));
    const first = await app.request('/');
    await first.text();
    const tag = first.headers.get('etag') as string;
    expect((await app.request('/', { headers: { 'If-None-Match': tag } })).status).toBe(304);
    expect((await limiter.peek('all')).tightest.remaining).toBe(1);
  });

  it('does not wrap a body if nothing depends on its end', async () => {
    const { app } = appWith({});
    const answer = new Response('hello');
    app.get('/', () => answer);
    expect(await app.request('/')).toBe(answer);
  });
});

it('Gives a charge back by the status of the response, and by requestWasSuccessful', async () => {
  const { app, left } = appWith({ skipFailedRequests: true });
  app.get('/:status', (c) => c.text('hello', Number(c.req.param('status')) as 200));
  for (const status of [500, 404, 200]) await (await app.request(`/${status}`)).text();
  expect(await left()).toEqual({ 'per-1m': 4 });
  const own = appWith({ skipSuccessfulRequests: true, requestWasSuccessful: (c) => c.res.status === 404 });
  own.app.get('/:status', (c) => c.text('hello', Number(c.req.param('status')) as 200));
  for (const status of [500, 404, 200]) await (await own.app.request(`/${status}`)).text();
  expect(await own.left()).toEqual({ 'per-1m': 3 });
});

it('Gives the handler the reservation', async () => {
  const { app, left } = appWith({ cost: 3 });
  app.get('/', async (c) => {
    await c.get('rateLimit')?.settle(1);
    return c.json(c.var.rateLimit?.policy ?? null);
  });
  expect(await (await app.request('/')).json()).toBe('default');
  expect(await left()).toEqual({ 'per-1m': 4 });
});

it('Returns a handle with peek, consume, reserve and reset', async () => {
  const { app, limiter } = appWith({ keyGenerator: byHeader('x-api-key') });
  app.get('/', async (c) => {
    const { tightest } = await limiter.consume(c);
    return c.json([tightest.remaining, (await limiter.peek(c)).tightest.remaining]);
  });
  const headers = { 'X-Api-Key': 'k' };
  expect(await (await app.request('/', { headers })).json()).toEqual([3, 3]);
  const reservation = await limiter.reserve('other');
  await reservation.cancel();
  expect((await limiter.peek('other')).tightest.remaining).toBe(5);
  expect(await limiter.reset('nobody')).toBe(false);
});

describe('keys', () => {
  it('come from a header, or else from the address', async () => {
    const app = new Hono().use(clientAddress({ addressOf: (c) => c.req.header('cf-connecting-ip') }));
    app.use(rateLimit({ limit: 1, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) }));
    app.get('/', (c) => c.text('hello'));
    const statusOf = async (headers: Record<string, string>) => (await app.request('/', { headers })).status;
    expect(await statusOf({ 'X-Api-Key': 'k' })).toBe(200);
    expect(await statusOf({ 'X-Api-Key': 'k' })).toBe(429);
    expect(await statusOf({ 'CF-Connecting-IP': '203.0.113.7' })).toBe(200);
    expect(await statusOf({ 'CF-Connecting-IP': '203.0.113.7' })).toBe(429);
    expect(await statusOf({ 'CF-Connecting-IP': '203.0.113.8' })).toBe(200);
  });

  it('refuse a value that is no generator', () => {
    expect(() => firstOf(byIp(), 5 as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'keys[1]' }),
    );
  });

  it('are missing if there is no address, and the error names the fix', async () => {
    const app = new Hono().use(rateLimit({ limit: 1, window: '1m' }));
    let message = '';
    app.onError((error, c) => {
      message = error.message;
      return c.text('broken', 500);
    });
    expect((await app.request('/')).status).toBe(500);
    expect(message).toMatch(/keyGenerator.*clientAddress.*SLUICE_KEY/);
  });

  it('are required with a status, if onMissingKey says so', async () => {
    const app = new Hono().use(rateLimit({ limit: 1, window: '1m', onMissingKey: 401 }));
    expect((await app.request('/')).status).toBe(401);
  });
});

describe('clientAddress', () => {
  const addressOf = async (
    forwarded: string | undefined,
    connected: string | undefined,
    trustProxy: string[] | AddressList,
  ) => {
    const app = new Hono<{ Bindings: { connected?: string } }>();
    app.use(clientAddress({ addressOf: (c) => c.env.connected, trustProxy }));
    app.get('/', async (c) => c.json(byIp()(c) ?? null));
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
    return (await app.request('/', { headers }, connected === undefined ? {} : { connected })).json();
  };

  it.each([
    ['203.0.113.7', '10.0.0.1', ['10.0.0.0/8'], '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '10.0.0.1', ['10.0.0.0/8'], '203.0.113.7'],
    ['203.0.113.7,10.2.3.4', '10.0.0.1', ['10.0.0.0/8'], '203.0.113.7'],
    ['10.2.3.4', '10.0.0.1', ['10.0.0.0/8'], '10.2.3.4'],
    ['203.0.113.7', '192.0.2.1', ['10.0.0.0/8'], '192.0.2.1'],
    ['', '10.0.0.1', ['10.0.0.0/8'], '10.0.0.1'],
    [undefined, '10.0.0.1', ['10.0.0.0/8'], '10.0.0.1'],
    ['203.0.113.7', '::ffff:10.0.0.1', ['10.0.0.0/8'], '203.0.113.7'],
    ['203.0.113.7', '10.0.0.1', [], '10.0.0.1'],
  ])('of %j from %j behind %j is %j', async (forwarded, connected, trustProxy, address) => {
    expect(await addressOf(forwarded, connected, trustProxy)).toEqual(['ip', address]);
  });

  it('takes a list of proxies that can be replaced', async () => {
    const proxies = addressList();
    expect(await addressOf('203.0.113.7', '10.0.0.1', proxies)).toEqual(['ip', '10.0.0.1']);
    proxies.replace(['10.0.0.0/8']);
    expect(await addressOf('203.0.113.7', '10.0.0.1', proxies)).toEqual(['ip', '203.0.113.7']);
  });

  it('is unknown without a connection, whatever the request claims', async () => {
    expect(await addressOf('203.0.113.7', undefined, ['0.0.0.0/0'])).toBeNull();
  });

  it('refuses wrong options', () => {
    for (const [options, path] of [
      [{ trustProxy: ['nowhere'] }, 'trustProxy[0]'],
      [{ addressOf: 'x-real-ip' }, 'addressOf'],
      [{ trust: [] }, 'trust'],
    ] as const) {
      expect(() => clientAddress(options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
    }
  });
});

it('Refuses invalid options', () => {
  for (const options of [undefined, null, [], 5, { limit: 5 }, { limit: 5, window: '1m', colour: 'red' }]) {
    expect(() => rateLimit(options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }));
  }
});

it('Passes a value that a callback throws to onError, as an error', async () => {
  const { app } = appWith({ keyGenerator: () => Promise.reject('no error') });
  const errors: unknown[] = [];
  app.onError((error, c) => {
    errors.push(error.cause);
    return c.text('broken', 500);
  });
  expect((await app.request('/')).status).toBe(500);
  expect(errors).toEqual(['no error']);
});

it('A limiter that an application calls itself says that it needs a context', async () => {
  const limiter = rateLimit({ limit: 1, window: '1m' });
  await expect(limiter(undefined as never, async () => {})).rejects.toMatchObject({
    code: 'SLUICE_UNSUPPORTED',
    message: expect.stringContaining('was called without a context: pass it'),
  });
});

it('A function that nobody has called says so in the error of the application', async () => {
  const errors: Error[] = [];
  const { app } = appWith({ keyGenerator: byIp as never });
  app.onError((error, c) => {
    errors.push(error);
    return c.text('sorry', 500);
  });
  expect((await app.request('/')).status).toBe(500);
  expect(errors).toMatchObject([
    { message: expect.stringContaining('not a request: call the function, such as byIp()') },
  ]);
});
