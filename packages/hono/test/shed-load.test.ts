import { describe, expect, it, jest } from '@jest/globals';
import { createShedder, type LoadState, type Shedder } from '@sluice/core/load';
import { WatchedShedder } from '@sluice/test-kit/shedding/watched-shedder';
import { until } from '@sluice/test-kit/until';
import { type Context, Hono } from 'hono';
import { streamSSE, streamText } from 'hono/streaming';
import { MemoryStore, rateLimit, type ShedLoadOptions, shedLoad } from '../src/index.js';

/** A shedder by the requests in flight, as on a runtime without Node's event loop. */
const atMost = (limit: number): Shedder =>
  createShedder({ loop: false, inFlight: { initial: limit, max: limit }, headroom: { normal: 0, low: 0 } });

/** An application over fetch, which has no connections. */
function appWith(options: Partial<ShedLoadOptions> = {}) {
  const shedder = new WatchedShedder(atMost(2));
  const app = new Hono().use(shedLoad({ shedder, ...options }));
  app.onError((error, c) => c.text(error.message, 500));
  return { app, shedder };
}

describe('The permit of a request over fetch', () => {
  /** Reads a response as a server does. */
  const whole = async (response: Response): Promise<string> => response.text();

  const ANSWERS: Readonly<
    Record<string, readonly [handle: (c: Context) => Response | Promise<Response>, ...ends: string[]]>
  > = {
    text: [(c) => c.text('hello'), 'done'],
    'a Response of its own': [() => new Response('hello'), 'done'],
    'a response without a body': [(c) => c.body(null, 204), 'done'],
    'a redirection': [() => Response.redirect('http://localhost/other', 302), 'done'],
    'no handler': [(c) => c.notFound(), 'done'],
    'an error': [
      () => {
        throw new Error('broken');
      },
      'drop',
    ],
    'a stream that is no event stream': [
      (c) => streamText(c, async (stream) => void (await stream.write('hi'))),
      'done',
    ],
    'an event stream': [(c) => streamSSE(c, async (stream) => stream.writeSSE({ data: 'hi' })), 'pause', 'drop'],
  };

  it.each(Object.entries(ANSWERS))('ends once after %s', async (_, [handle, ...ends]) => {
    const { app, shedder } = appWith();
    app.get('/', handle);
    const response = await app.request('/');
    await whole(response);
    await until(() => shedder.state.inFlight === 0);
    expect(shedder.endings).toEqual(ends);
  });

  it('ends with the body, not before', async () => {
    const { app, shedder } = appWith();
    app.get('/', (c) => c.text('hello'));
    const response = await app.request('/');
    expect([shedder.state.inFlight, shedder.endings]).toEqual([1, []]);
    await whole(response);
    expect([shedder.state.inFlight, shedder.endings]).toEqual([0, ['done']]);
  });

  it('ends at once after HEAD', async () => {
    const { app, shedder } = appWith();
    app.get('/', (c) => c.text('hello'));
    await app.request('/', { method: 'HEAD' });
    expect(shedder.endings).toEqual(['done']);
  });

  it('is dropped if the server cancels the body, or the source fails', async () => {
    const { app, shedder } = appWith();
    const failing = new ReadableStream({
      pull() {
        throw new Error('the source is broken');
      },
    });
    app.get('/', (c) => c.text('hello')).get('/fail', () => new Response(failing));
    await (await app.request('/')).body?.cancel();
    expect(shedder.endings).toEqual(['drop']);
    await expect(whole(await app.request('/fail'))).rejects.toThrow('the source is broken');
    expect(shedder.endings).toEqual(['drop', 'drop']);
  });

  it('is dropped once if the client leaves, before or after the response', async () => {
    const { app, shedder } = appWith();
    const leaving = new AbortController();
    app.get('/', async (c) => {
      leaving.abort();
      return c.text('late');
    });
    await whole(await app.request('/', { signal: leaving.signal }));
    expect([shedder.endings, shedder.state.inFlight]).toEqual([['drop'], 0]);
    await app.request('/', { signal: AbortSignal.abort() });
    expect([shedder.endings, shedder.state.inFlight]).toEqual([['drop', 'drop'], 0]);
  });

  it('ends if a handler throws no error', async () => {
    const { app, shedder } = appWith();
    app.get('/', () => {
      throw 'no error';
    });
    await expect(app.request('/')).rejects.toBe('no error');
    expect(shedder.endings).toEqual(['drop']);
  });

  it('of an event stream takes no place once the response has begun', async () => {
    const { app, shedder } = appWith();
    app.get('/events', (c) => streamSSE(c, () => new Promise(() => {})));
    app.get('/', (c) => c.text('hello'));
    for (let i = 0; i < 3; i += 1) expect((await app.request('/events')).status).toBe(200);
    expect(shedder.state.inFlight).toBe(3);
    expect((await app.request('/')).status).toBe(200);
  });

  it('is dropped after the upgrade of a connection', async () => {
    const { app, shedder } = appWith();
    app.get('/', () => new Response(null));
    await app.request('/', { headers: { Upgrade: 'websocket' } });
    expect(shedder.endings).toEqual(['drop']);
  });

  it('is one, however often the request passes the middleware', async () => {
    const { shedder } = appWith();
    const shed = shedLoad({ shedder });
    const app = new Hono().use(shed, shed).get('/', (c) => c.text('hello'));
    expect(await whole(await app.request('/'))).toBe('hello');
    expect([shedder.endings, shedder.state.inFlight]).toEqual([['done'], 0]);
  });

  it('is one for each shedder', async () => {
    const [outer, inner] = [new WatchedShedder(atMost(2)), new WatchedShedder(atMost(1))];
    const app = new Hono().use(shedLoad({ shedder: outer }), shedLoad({ shedder: inner }));
    app.get('/', (c) => c.text('hello'));
    const first = await app.request('/');
    expect([outer.state.inFlight, inner.state.inFlight]).toEqual([1, 1]);
    const refused = await app.request('/');
    expect(refused.status).toBe(503);
    await Promise.all([whole(refused), whole(first)]);
    expect([outer.state.inFlight, inner.state.inFlight]).toEqual([0, 0]);
  });
});

describe('A refused request over fetch', () => {
  it('gets a problem at once, with the fields of earlier middleware, and asks no store', async () => {
    const store = new MemoryStore();
    const limiter = rateLimit({ limit: 5, window: '1m', store, keyGenerator: () => 'all' });
    const shedder = atMost(1);
    const app = new Hono().use(async (c, next) => {
      c.header('Access-Control-Allow-Origin', '*');
      await next();
    });
    app.use(shedLoad({ shedder }), limiter);
    let handled = 0;
    app.post('/', async (c) => {
      handled += 1;
      return c.text(await c.req.text());
    });
    shedder.admit();
    const request = new Request('http://localhost/', { method: 'POST', body: 'unread' });
    const refused = await app.fetch(request);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    expect(['1', '2', '3']).toContain(refused.headers.get('retry-after'));
    expect(refused.headers.get('ratelimit')).toBeNull();
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(await refused.json()).toMatchObject({ title: 'Temporary Reduced Capacity', status: 503 });
    expect([handled, request.bodyUsed]).toEqual([0, false]);
    expect((await limiter.peek('all')).tightest.remaining).toBe(5);
  });

  it('is neither a health check nor skipped, and is the least important', async () => {
    const shedder = createShedder({
      loop: false,
      inFlight: { initial: 10, max: 10 },
      headroom: { normal: 0.5, low: 0.9 },
    });
    const shed = shedLoad({
      shedder,
      skip: (c) => c.req.path === '/skipped',
      priority: (c) => (c.req.path === '/pay' ? 'critical' : 'low'),
      trustPriority: () => true,
    });
    const app = new Hono().use(shed).all('*', (c) => c.text('hello'));
    for (let i = 0; i < 5; i += 1) shedder.admit();
    const statuses: Record<string, number> = {};
    for (const path of ['/livez', '/readyz?verbose', '/skipped', '/pay', '/other']) {
      const response = await app.request(path);
      await response.text();
      statuses[path] = response.status;
    }
    expect(statuses).toEqual({ '/livez': 200, '/readyz?verbose': 200, '/skipped': 200, '/pay': 200, '/other': 503 });
    const important = await app.request('/other', { headers: { 'Sluice-Priority': 'critical' } });
    expect(important.status).toBe(200);
  });

  it('has no address without a connection, so that a list trusts nobody', async () => {
    const shedder = atMost(2);
    const shed = shedLoad({
      shedder,
      priority: 'low',
      trustPriority: ['0.0.0.0/0', '::/0'],
      onShed: (c) => shedOnes.push(c),
    });
    const shedOnes: Context[] = [];
    const app = new Hono().use(shed).get('/', (c) => c.text('hello'));
    shedder.admit();
    shedder.admit();
    const { status } = await app.request('/', { headers: { 'Sluice-Priority': 'critical' } });
    expect([status, shedOnes.length]).toEqual([503, 1]);
  });
});

describe('A handler', () => {
  it('finds the load', async () => {
    const { app } = appWith();
    app.get('/', (c) => c.json({ inFlight: c.get('load')?.inFlight, limit: c.var.load?.limit }));
    expect(await (await app.request('/')).json()).toEqual({ inFlight: 1, limit: 2 });
  });

  it('finds no load without shedding', async () => {
    const app = new Hono().get('/', (c) => c.json({ load: c.get('load') satisfies LoadState | undefined }));
    expect(await (await app.request('/')).json()).toEqual({});
  });
});

describe('A runtime that does not count the turns of its event loop', () => {
  it('is told at the start, and may limit the requests in flight alone', async () => {
    jest.replaceProperty(performance, 'nodeTiming', undefined as never);
    try {
      expect(() => shedLoad()).toThrow(
        expect.objectContaining({
          code: 'SLUICE_UNSUPPORTED',
          path: 'loop',
          message: expect.stringContaining('loop: false'),
        }),
      );
      const shed = shedLoad({ loop: false, inFlight: { initial: 1, max: 1 }, headroom: { normal: 0, low: 0 } });
      const app = new Hono().use(shed).get('/', (c) => c.json(c.get('load')));
      const first = await app.request('/');
      expect((await app.request('/')).status).toBe(503);
      expect(await first.json()).toMatchObject({ isShedding: false, limit: 1, inFlight: 1 });
      expect((await app.request('/')).status).toBe(200);
    } finally {
      jest.restoreAllMocks();
    }
  });
});
