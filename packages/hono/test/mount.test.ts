import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { describe, expect, it } from '@jest/globals';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { Hono } from 'hono';
import { clientAddress, MemoryStore, rateLimit, shedLoad } from '../src/index.js';

type Ask = (path: string, headers?: Record<string, string>) => Promise<Response>;

/** Serves an application over Node's HTTP, and over fetch, where the runtime passes an environment. */
const HOSTS: Readonly<Record<string, (app: Hono) => Promise<Ask>>> = {
  'on Node': async (app) => {
    const server = await new Promise<Server>((resolve) => {
      const starting = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(starting as Server));
    });
    closedAfterTest(server);
    const { port } = server.address() as AddressInfo;
    return (path, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
  },
  'over fetch': async (app) => {
    // One environment for all requests, as in a worker.
    const env = {};
    return async (path, headers = {}) => app.request(path, { headers }, env);
  },
};

const byUser = { keyGenerator: () => 'user' };

/** Two applications, of which the outer one mounts the other. */
function mounted(): { readonly outer: Hono; readonly inner: Hono } {
  return { outer: new Hono(), inner: new Hono() };
}

describe.each(Object.entries(HOSTS))('An application that is mounted by app.mount(), %s', (_, serveApp) => {
  it('states the limits of both, and gives back what the outer one has charged if the inner one refuses', async () => {
    const { outer, inner } = mounted();
    const site = rateLimit({ name: 'site', limit: 10, window: '1m', store: new MemoryStore(), ...byUser });
    outer.use(site);
    inner.use(rateLimit({ name: 'api', limit: 1, window: '1m', store: new MemoryStore(), ...byUser }));
    inner.get('/things', (c) => c.text('ok'));
    outer.mount('/api', inner.fetch);
    const ask = await serveApp(outer);
    const answers: unknown[] = [];
    for (let i = 0; i < 2; i += 1) {
      const { status, headers } = await ask('/api/things');
      const items = [...String(headers.get('ratelimit')).matchAll(/"(\w+)";r=(\d+)/g)].map(([, name, r]) => [name, r]);
      answers.push([status, Object.fromEntries(items)]);
    }
    expect(answers).toEqual([
      [200, { site: '9', api: '0' }],
      [429, { site: '9', api: '0' }],
    ]);
    expect((await site.peek('user')).tightest.remaining).toBe(9);
  });

  it('counts by the address that the outer one has found', async () => {
    const { outer, inner } = mounted();
    outer.use(clientAddress({ addressOf: (c) => c.req.header('x-test-address') }));
    inner.use(rateLimit({ name: 'api', limit: 1, window: '1m', store: new MemoryStore() }));
    inner.all('*', (c) => c.text('ok'));
    outer.mount('/api', inner.fetch);
    const ask = await serveApp(outer);
    const statuses: number[] = [];
    for (const address of ['203.0.113.7', '203.0.113.8', '203.0.113.7']) {
      statuses.push((await ask('/api', { 'x-test-address': address })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('counts a request once in flight', async () => {
    const { outer, inner } = mounted();
    const shed = shedLoad({ loop: false });
    outer.use(shed);
    inner.use(shed);
    inner.get('/load', (c) => c.text(String(shed.shedder.state.inFlight)));
    outer.mount('/api', inner.fetch);
    expect(await (await (await serveApp(outer))('/api/load')).text()).toBe('1');
  });

  it('knows health checks by their whole path, if the outer one has a middleware of Sluice', async () => {
    const { outer, inner } = mounted();
    const shed = shedLoad({ loop: false, inFlight: { initial: 1, max: 1 }, health: ['/livez', '/users/readyz'] });
    outer.use(rateLimit({ name: 'site', limit: 100, window: '1m', store: new MemoryStore(), ...byUser }));
    inner.use(shed);
    let end = (): void => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    inner.get('/held', async (c) => {
      await held;
      return c.text('ok');
    });
    inner.get('/:id', (c) => c.text('ok'));
    outer.mount('/users', inner.fetch);
    const ask = await serveApp(outer);
    const holding = ask('/users/held');
    for (let i = 0; i < 1000 && shed.shedder.state.inFlight === 0; i += 1) await new Promise(setImmediate);
    const statuses: number[] = [];
    for (const path of ['/users/livez', '/users/7', '/users/readyz']) statuses.push((await ask(path)).status);
    end();
    expect([...statuses, (await holding).status]).toEqual([503, 503, 200, 200]);
  });

  it('does not take a further request of a handler for its own', async () => {
    const app = new Hono();
    const limit = rateLimit({ name: 'site', limit: 10, window: '1m', store: new MemoryStore(), ...byUser });
    app.use(limit);
    app.get('/other', (c) => c.text('no', 400));
    app.get('/first', async (c) => c.text(String((await app.request('/other')).headers.get('ratelimit'))));
    const answer = await (await serveApp(app))('/first');
    expect([await answer.text(), answer.headers.get('ratelimit')]).toEqual(['"site";r=8;t=60', '"site";r=9;t=60']);
  });
});

describe.each(Object.entries(HOSTS))('A handler that returns nothing, %s', (_, serveApp) => {
  it('has failed: Hono responds with an error, and the charge is given back or kept as for one', async () => {
    const app = new Hono();
    app.onError((_error, c) => c.body(null, 500));
    const store = new MemoryStore();
    const common = { limit: 10, window: '1m', store, ...byUser } as const;
    const failed = rateLimit({ name: 'failed', skipFailedRequests: true, ...common });
    const successful = rateLimit({ name: 'successful', skipSuccessfulRequests: true, ...common });
    const shed = shedLoad({ loop: false });
    app.use(shed, failed, successful);
    app.get('/nothing', (() => undefined) as never);
    const { status, headers } = await (await serveApp(app))('/nothing');
    expect([status, headers.has('ratelimit')]).toEqual([500, true]);
    for (let i = 0; i < 100 && (await failed.peek('user')).tightest.remaining < 10; i += 1)
      await new Promise(setImmediate);
    expect((await failed.peek('user')).tightest.remaining).toBe(10);
    expect((await successful.peek('user')).tightest.remaining).toBe(9);
    expect(shed.shedder.state.inFlight).toBe(0);
  });
});
