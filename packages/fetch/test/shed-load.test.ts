import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createShedder, type Shedder } from '@sluice/core/load';
import { WatchedShedder } from '@sluice/test-kit/shedding/watched-shedder';
import { loadOf, MemoryStore, rateLimit, respond, type ShedLoadOptions, shedLoad } from '../src/index.js';

/** A shedder by the requests in flight, as on a runtime without Node's event loop. */
const atMost = (limit: number): Shedder =>
  createShedder({ loop: false, inFlight: { initial: limit, max: limit }, headroom: { normal: 0, low: 0 } });

type Handler = (request: Request) => Response | Promise<Response>;

const hello: Handler = () => new Response('hello');

const newRequest = (init: RequestInit = {}, path = '/'): Request => new Request(`http://localhost${path}`, init);

/** A server of fetch in front of a handler, with load shedding. */
function serving(handler = hello, options: Partial<ShedLoadOptions> = {}) {
  const shedder = new WatchedShedder(atMost(2));
  const shed = shedLoad({ shedder, ...options });
  const ask = async (init: RequestInit = {}, path = '/'): Promise<Response> => {
    const request = newRequest(init, path);
    return shed(request) ?? respond(request, () => handler(request));
  };
  return { ask, shedder };
}

const eventStream = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }), {
    headers: { 'Content-Type': 'text/event-stream' },
  });

describe('The permit of a request', () => {
  const HANDLERS: Readonly<Record<string, readonly [Handler, ...ends: string[]]>> = {
    'a Response': [hello, 'done'],
    'a response without a body': [() => new Response(null, { status: 204 }), 'done'],
    'a redirection': [() => Response.redirect('http://localhost/other', 302), 'done'],
    'an error status': [() => new Response('broken', { status: 500 }), 'drop'],
  };

  it.each(Object.entries(HANDLERS))('ends once, with the body of %s', async (_, [handler, ...ends]) => {
    const { ask, shedder } = serving(handler);
    await (await ask()).text();
    expect([shedder.endings, shedder.state.inFlight]).toEqual([ends, 0]);
  });

  it('ends at once after HEAD, and not before the body otherwise', async () => {
    const { ask, shedder } = serving();
    await ask({ method: 'HEAD' });
    expect(shedder.endings).toEqual(['done']);
    await ask();
    expect([shedder.endings, shedder.state.inFlight]).toEqual([['done'], 1]);
  });

  it('is dropped if the server cancels the body, the source fails, or the handler does', async () => {
    const failing = (): ReadableStream => new ReadableStream({ pull: () => Promise.reject(new Error('broken')) });
    const { ask, shedder } = serving(({ url }) => {
      if (url.endsWith('/throw')) throw new Error('the handler is broken');
      return new Response(url.endsWith('/fail') ? failing() : 'hello');
    });
    await (await ask()).body?.cancel();
    await expect((await ask({}, '/fail')).text()).rejects.toThrow('broken');
    await expect(ask({}, '/throw')).rejects.toThrow('the handler is broken');
    expect([shedder.endings, shedder.state.inFlight]).toEqual([['drop', 'drop', 'drop'], 0]);
  });

  it('is dropped once if the client leaves, before or after the response', async () => {
    const leaving = new AbortController();
    const { ask, shedder } = serving(async () => {
      leaving.abort();
      return new Response('late');
    });
    await (await ask({ signal: leaving.signal })).text();
    await ask({ signal: AbortSignal.abort() });
    expect([shedder.endings, shedder.state.inFlight]).toEqual([['drop', 'drop'], 0]);
  });

  it('of an event stream takes no place once the response has begun, and gives no sample', async () => {
    const { ask, shedder } = serving(({ url }) => (url.endsWith('/events') ? eventStream() : new Response('hello')));
    const streams = [];
    for (let i = 0; i < 3; i += 1) streams.push(await ask({}, '/events'));
    expect([shedder.state.inFlight, (await ask()).status]).toEqual([3, 200]);
    for (const { body } of streams) await body?.cancel();
    expect(shedder.endings).toEqual(['pause', 'pause', 'pause', 'drop', 'drop', 'drop']);
  });

  it('is dropped after the upgrade of a connection', async () => {
    const { ask, shedder } = serving(() => new Response(null));
    await ask({ headers: { Upgrade: 'websocket' } });
    expect(shedder.endings).toEqual(['drop']);
  });

  it('is one for each shedder, and ends if a later guard refuses', async () => {
    const [outer, inner] = [new WatchedShedder(atMost(2)), new WatchedShedder(atMost(1))];
    const [first, second] = [shedLoad({ shedder: outer }), shedLoad({ shedder: inner })];
    const ask = async (): Promise<Response> => {
      const request = newRequest();
      return first(request) ?? first(request) ?? second(request) ?? respond(request, () => new Response('hello'));
    };
    const admitted = await ask();
    const refused = await ask();
    expect(refused.status).toBe(503);
    await refused.text();
    await admitted.text();
    expect([outer.state.inFlight, inner.state.inFlight]).toEqual([0, 0]);
    expect([outer.endings, inner.endings]).toEqual([['drop', 'done'], ['done']]);
  });
});

describe('A refused request', () => {
  it('gets a problem at once, and asks no store', async () => {
    const limit = rateLimit({ limit: 5, window: '1m', store: new MemoryStore(), keyGenerator: () => 'all' });
    const shedder = atMost(1);
    const shed = shedLoad({ shedder });
    shedder.admit();
    const request = newRequest({ method: 'POST', body: 'unread' });
    const refused = shed(request) ?? (await limit(request)) ?? (await respond(request, () => new Response('hello')));
    expect([refused.status, refused.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    expect(['1', '2', '3']).toContain(refused.headers.get('retry-after'));
    expect(refused.headers.get('ratelimit')).toBeNull();
    expect(await refused.json()).toMatchObject({ title: 'Temporary Reduced Capacity', status: 503 });
    expect([request.bodyUsed, (await limit.peek('all')).tightest.remaining]).toEqual([false, 5]);
  });

  it('is neither a health check nor skipped, and is the least important', async () => {
    const shedder = createShedder({
      loop: false,
      inFlight: { initial: 10, max: 10 },
      headroom: { normal: 0.5, low: 0.9 },
    });
    const { ask } = serving(hello, {
      shedder,
      skip: ({ url }) => url.endsWith('/skipped'),
      priority: ({ url }) => (url.endsWith('/pay') ? 'critical' : 'low'),
      trustPriority: () => true,
    });
    for (let i = 0; i < 5; i += 1) shedder.admit();
    const statuses: Record<string, number> = {};
    for (const path of ['/livez', '/readyz?verbose', '/skipped', '/pay', '/other']) {
      const response = await ask({}, path);
      await response.text();
      statuses[path] = response.status;
    }
    expect(statuses).toEqual({ '/livez': 200, '/readyz?verbose': 200, '/skipped': 200, '/pay': 200, '/other': 503 });
    expect((await ask({ headers: { 'Sluice-Priority': 'critical' } }, '/other')).status).toBe(200);
  });
});

it('A handler finds the load, if load is shed', async () => {
  const { ask } = serving((request) => Response.json(loadOf(request)?.inFlight ?? null));
  expect(await (await ask()).json()).toBe(1);
  expect(loadOf(newRequest())).toBeUndefined();
});

describe('A runtime that does not count the turns of its event loop', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is told at the start, and may limit the requests in flight alone', async () => {
    jest.replaceProperty(performance, 'nodeTiming', undefined as never);
    expect(() => shedLoad()).toThrow(
      expect.objectContaining({
        code: 'SLUICE_UNSUPPORTED',
        path: 'loop',
        message: expect.stringContaining('loop: false'),
      }),
    );
    const shed = shedLoad({ loop: false, inFlight: { initial: 1, max: 1 }, headroom: { normal: 0, low: 0 } });
    const request = newRequest();
    expect(shed(request)).toBeUndefined();
    expect(shed(newRequest())?.status).toBe(503);
    await (await respond(request, () => new Response('hello'))).text();
    expect(shed(newRequest())).toBeUndefined();
  });
});
