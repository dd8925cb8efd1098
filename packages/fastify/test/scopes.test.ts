import { describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { type RateLimitFactory, rateLimit } from '../src/index.js';
import { limitedApp, minute, statuses, still } from './limited-app.js';

const handler = async (): Promise<string> => 'ok';

describe('The plugin', () => {
  it('in a scope limits only that scope', async () => {
    const app = fastify();
    app.get('/', handler);
    app.register(async (api) => {
      await api.register(rateLimit, minute(1));
      api.get('/api', handler);
    });
    expect(await statuses(app, '/', '/', '/api', '/api')).toEqual([200, 200, 200, 429]);
  });

  it.each([['awaited'], ['not awaited']])('in an inner scope replaces the outer plugin there, %s', async (how) => {
    const store = still();
    const app = await limitedApp({ ...minute(9), store });
    app.register(async (api) => {
      const registered = api.register(rateLimit, { ...minute(2), name: 'api', store });
      if (how === 'awaited') await registered;
      api.get('/api', handler).get('/strict', { config: { rateLimit: minute(1) } }, handler);
    });
    app.get('/', handler);
    const { headers } = await app.inject('/api');
    expect(headers).toMatchObject({ 'ratelimit-policy': '"api";q=2;w=60', 'x-ratelimit-remaining': '1' });
    expect(await statuses(app, '/api', '/api', '/strict', '/strict')).toEqual([200, 429, 200, 429]);
    expect((await app.inject('/')).headers['x-ratelimit-remaining']).toBe('8');
  });

  it('with global: false in a scope does not limit it', async () => {
    const app = await limitedApp(minute(0));
    app.register(async (open) => {
      await open.register(rateLimit, { global: false });
      open.get('/open', handler);
    });
    app.get('/', handler);
    expect(await statuses(app, '/open', '/')).toEqual([200, 429]);
  });

  it('twice in one scope is refused', async () => {
    const app = await limitedApp(minute(1));
    await expect(app.register(rateLimit, minute(1))).rejects.toThrow(
      'app.rateLimit already exists in this scope: use limits: [...], or register the plugin in an inner scope (SLUICE_OPTION)',
    );
  });

  it('of the same options, in two scopes on one store, counts them together', async () => {
    const options = { ...minute(1), store: still() };
    const app = fastify();
    for (const url of ['/a', '/b']) {
      app.register(async (scope) => {
        await scope.register(rateLimit, options);
        scope.get(url, handler);
      });
    }
    expect(await statuses(app, '/a', '/b')).toEqual([200, 429]);
  });

  it.each([['onRequest'], ['preHandler']] as const)(
    'still limits if another plugin wraps app.rateLimit, with hook %s',
    async (hook) => {
      const app = await limitedApp({ ...minute(2), hook });
      const wrap = (factory: RateLimitFactory): RateLimitFactory =>
        new Proxy(factory, { apply: (target, self, args) => Reflect.apply(target, self, args) });
      app.rateLimit = wrap(app.rateLimit);
      app.get('/', handler).get('/strict', { config: { rateLimit: minute(1) } }, handler);
      app.register(async (api) => {
        api.decorate('rateLimit', wrap(api.rateLimit));
        api.get('/api', handler).get('/hook', { preHandler: api.rateLimit({ name: 'hook', ...minute(1) }) }, handler);
      });
      app.register(async (inner) => {
        await inner.register(rateLimit, { ...minute(1), name: 'inner', hook });
        inner.rateLimit = wrap(inner.rateLimit);
        inner.get('/inner', handler);
      });
      expect(await statuses(app, '/strict', '/strict', '/inner', '/inner')).toEqual([200, 429, 200, 429]);
      expect(await statuses(app, '/hook', '/hook', '/', '/api', '/nowhere')).toEqual([200, 429, 200, 429, 429]);
    },
  );

  it('with a later hook in an inner scope limits each request by the nearest plugin', async () => {
    const store = still();
    const app = await limitedApp({ ...minute(9), hook: 'preHandler', store });
    app.register(async (api) => {
      await api.register(rateLimit, { ...minute(2), name: 'api', store });
      api.get('/api', handler);
    });
    app.register(async (open) => {
      await open.register(rateLimit, { global: false, hook: 'preValidation' });
      open.get('/open', handler);
    });
    app.get('/', handler);
    expect((await app.inject('/api')).headers).toMatchObject({ 'ratelimit-policy': '"api";q=2;w=60' });
    expect((await app.inject('/open')).headers).not.toHaveProperty('ratelimit');
    expect((await app.inject('/')).headers).toMatchObject({ 'x-ratelimit-remaining': '8' });
    expect(await statuses(app, '/api', '/api')).toEqual([200, 429]);
  });

  it('limits a scope within its own, with a prefix', async () => {
    const app = await limitedApp(minute(1));
    app.register(async (api) => void api.get('/users', handler), { prefix: '/api' });
    expect(await statuses(app, '/api/users', '/api/users')).toEqual([200, 429]);
  });
});

describe('A request without a route', () => {
  it('is limited', async () => {
    const app = await limitedApp(minute(1));
    expect(await statuses(app, '/nowhere', '/nowhere')).toEqual([404, 429]);
  });

  it.each([['preParsing'], ['preValidation'], ['preHandler']] as const)(
    'is limited in the place of the plugin, with hook %s, because no route can have a hook',
    async (hook) => {
      const app = fastify();
      const order: string[] = [];
      const note = (what: string) => async () => void order.push(what);
      app.addHook(hook as 'preHandler', note('before'));
      await app.register(rateLimit, { ...minute(1), hook, onLimitReached: note('limit') });
      app.addHook(hook as 'preHandler', note('after'));
      expect(await statuses(app, '/nowhere', '/nowhere')).toEqual([404, 429]);
      expect(order).toEqual(['before', 'after', 'before', 'limit']);
    },
  );

  it('is limited by the nearest plugin if a scope has its own handler for it', async () => {
    const app = await limitedApp(minute(2));
    app.setNotFoundHandler(async (_request, reply) => reply.code(404).send('nothing'));
    const custom = async (api: typeof app): Promise<void> => {
      await api.register(rateLimit, { ...minute(1), name: 'api' });
      api.setNotFoundHandler(async (_request, reply) => reply.code(404).send('nothing here'));
    };
    app.register(custom, { prefix: '/api' });
    expect((await app.inject('/api/nowhere')).body).toBe('nothing here');
    expect(await statuses(app, '/api/nowhere', '/nowhere', '/nowhere', '/nowhere')).toEqual([429, 404, 404, 429]);
  });

  it.each([['onRequest'], ['preParsing'], ['preValidation'], ['preHandler']] as const)(
    'is counted once if a handler calls callNotFound, with hook %s',
    async (hook) => {
      const app = await limitedApp({ ...minute(9), hook });
      app.get('/', (_request, reply) => void reply.callNotFound());
      const { statusCode, headers } = await app.inject('/');
      expect(statusCode).toBe(404);
      expect(headers['x-ratelimit-remaining']).toBe('8');
    },
  );
});
