import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { byHeader, ipKey, type RateLimitOptions, rateLimit } from '../src/index.js';
import { limitedApp, minute, statuses, still } from './limited-app.js';

const LATER = ['preParsing', 'preValidation', 'preHandler'] as const;
const PHASES = ['onRequest', ...LATER] as const;
const handler = async (): Promise<string> => 'ok';
const as = (user: string) => ({ method: 'POST', url: '/', headers: { user }, payload: {} }) as const;

/** Finds out, in a hook, who it is that asks. */
const signedIn = new WeakMap<object, string>();
const signIn = async (request: FastifyRequest): Promise<void> => {
  signedIn.set(request, String(request.headers.user));
};
const byUser: RateLimitOptions['keyGenerator'] = (request) => signedIn.get(request);

describe('The plugin', () => {
  it.each(PHASES)('counts in %s', async (hook) => {
    const app = await limitedApp({ ...minute(1), hook });
    app.post('/', handler);
    expect(await statuses(app, as('ann'), as('ann'))).toEqual([200, 429]);
  });

  it('counts by the user from an earlier hook', async () => {
    const app = fastify();
    app.addHook('onRequest', signIn);
    await app.register(rateLimit, { ...minute(1), hook: 'preHandler', keyGenerator: byUser });
    app.post('/', handler);
    expect(await statuses(app, as('ann'), as('bob'), as('ann'))).toEqual([200, 200, 429]);
  });

  it.each(LATER)('with hook %s counts by the user from a hook that was added after it', async (hook) => {
    const app = await limitedApp({ ...minute(1), hook, keyGenerator: byUser });
    app.addHook(hook as 'preHandler', signIn);
    app.post('/', handler);
    app.register(
      async (api) => {
        api.addHook(hook as 'preHandler', signIn);
        api.post('/', { [hook]: [signIn] }, handler);
      },
      { prefix: '/api' },
    );
    expect(await statuses(app, as('ann'), as('bob'), as('ann'))).toEqual([200, 200, 429]);
    const there = (user: string) => ({ ...as(user), url: '/api' });
    expect(await statuses(app, there('eve'), there('ann'), there('eve'))).toEqual([200, 429, 429]);
  });

  it.each(LATER)('with hook %s does so if it was not awaited and the routes are in a plugin', async (hook) => {
    const app = fastify();
    app.register(rateLimit, { ...minute(1), hook, keyGenerator: byUser });
    app.addHook(hook as 'preHandler', signIn);
    app.register(async (api) => void api.post('/', handler));
    expect(await statuses(app, as('ann'), as('bob'), as('ann'))).toEqual([200, 200, 429]);
  });

  it.each(LATER)('with hook %s reports routes that were added before it', async (hook) => {
    const app = fastify();
    app.register(rateLimit, { ...minute(1), hook, keyGenerator: byUser });
    app.addHook(hook as 'preHandler', signIn);
    app.post('/', handler).get('/open', { config: { rateLimit: false } }, handler);
    const { statusCode, body } = await app.inject(as('ann'));
    expect(statusCode).toBe(500);
    expect(JSON.parse(body).message).toBe(
      `hook cannot be ${hook}, because POST / was added before the plugin: await app.register(rateLimit) (SLUICE_OPTION)`,
    );
    expect(await statuses(app, '/open', '/nowhere', '/nowhere')).toEqual([200, 404, 429]);
  });

  it('counts in onRequest in its own place, so that a refused request runs no later hook', async () => {
    const app = await limitedApp(minute(1));
    let asked = 0;
    app.addHook('onRequest', async () => {
      asked += 1;
    });
    app.get('/', handler);
    expect(await statuses(app, '/', '/', '/')).toEqual([200, 429, 429]);
    expect(asked).toBe(1);
  });

  it.each(LATER)('with hook %s counts a request once, and those of GET and HEAD together', async (hook) => {
    const app = await limitedApp({ ...minute(9), hook, store: still() });
    app.register(async (api) => void api.get('/', handler), { prefix: '/api' });
    const remaining = async (method: 'GET' | 'HEAD', url: string) =>
      (await app.inject({ method, url })).headers['x-ratelimit-remaining'];
    expect(await remaining('GET', '/api')).toBe('8');
    expect(await remaining('HEAD', '/api/')).toBe('7');
    expect(await remaining('GET', '/api/')).toBe('6');
  });

  it('runs in the same tick as the hooks around it, over a synchronous store', async () => {
    const order: string[] = [];
    const app = fastify();
    app.addHook('onRequest', (_request, _reply, done) => {
      done();
      order.push('after the chain');
    });
    await app.register(rateLimit, minute(1));
    app.addHook('onRequest', (_request, _reply, done) => {
      order.push('next hook');
      done();
    });
    app.get('/', handler);
    await app.inject('/');
    expect(order).toEqual(['next hook', 'after the chain']);
  });
});

describe('A route with its own hook', () => {
  it.each(PHASES)('is limited in %s, after its own hooks', async (hook) => {
    const app = await limitedApp({ ...minute(9), hook: hook === 'onRequest' ? 'preHandler' : 'onRequest' });
    const config = { rateLimit: { ...minute(1), hook, keyGenerator: byUser } };
    app.post('/', { onRequest: [signIn], config }, handler);
    expect(await statuses(app, as('ann'), as('bob'), as('ann'))).toEqual([200, 200, 429]);
  });

  it('is limited once, and its hooks are not changed', async () => {
    const app = await limitedApp(minute(9));
    const preHandler = [signIn];
    app.post('/', { preHandler, config: { rateLimit: { ...minute(5), hook: 'preHandler' } } }, handler);
    const { headers } = await app.inject(as('ann'));
    expect(headers).toMatchObject({ 'ratelimit-policy': '"POST /";q=5;w=60', 'x-ratelimit-remaining': '4' });
    expect(preHandler).toEqual([signIn]);
  });

  it('is an error that names the fix if it was added before the plugin', async () => {
    const app = fastify();
    app.register(rateLimit, minute(9));
    app.get('/', { config: { rateLimit: { ...minute(1), hook: 'preHandler' } } }, handler);
    const { statusCode, body } = await app.inject('/');
    expect(statusCode).toBe(500);
    expect(JSON.parse(body).message).toMatch(/^hook cannot be preHandler, because GET \/ .* await app\.register/);
  });

  it('is also an error if an outer plugin existed', async () => {
    const app = await limitedApp(minute(9));
    app.register(async (api) => {
      api.register(rateLimit, { ...minute(8), name: 'api' });
      api.get('/', { config: { rateLimit: { ...minute(1), hook: 'preHandler' } } }, handler);
    });
    expect((await app.inject('/')).statusCode).toBe(500);
  });
});

describe('app.rateLimit()', () => {
  it.each(PHASES)('is a hook for %s, alone and in a list, in a scope and on a route', async (phase) => {
    const app = await limitedApp({ global: false });
    app.post('/', { [phase]: app.rateLimit({ name: 'route', ...minute(1), keyGenerator: byHeader('user') }) }, handler);
    app.post('/list', { [phase]: [app.rateLimit({ name: 'list', ...minute(1) })] }, handler);
    app.register(async (scope) => {
      scope.addHook(phase as 'onRequest', scope.rateLimit({ name: 'scope', ...minute(1) }));
      scope.post('/scope', handler);
    });
    for (const url of ['/', '/list', '/scope']) {
      expect(await statuses(app, { ...as('ann'), url }, { ...as('ann'), url })).toEqual([200, 429]);
    }
    expect(await statuses(app, as('bob'))).toEqual([200]);
  });

  it('inherits the options of the plugin, and is another policy of the request', async () => {
    const app = await limitedApp({ ...minute(9), message: 'Later.', store: still() });
    app.get('/', { onRequest: app.rateLimit({ name: 'strict', ...minute(1) }) }, handler);
    const { headers } = await app.inject('/');
    expect(headers['ratelimit-policy']).toBe('"per-1m";q=9;w=60,"strict";q=1;w=60');
    const { statusCode, body } = await app.inject('/');
    expect([statusCode, body]).toEqual([429, 'Later.']);
    // What it refused was given back.
    expect((await app.inject('/nowhere')).headers['x-ratelimit-remaining']).toBe('7');
  });

  it('is the handle of its policy', async () => {
    const app = await limitedApp({ global: false });
    const limit = app.rateLimit({ name: 'login', ...minute(1) });
    app.get('/', { onRequest: limit }, handler);
    expect(limit.policy).toBe('login');
    expect(await statuses(app, '/', '/')).toEqual([200, 429]);
    await limit.reset(ipKey('127.0.0.1'));
    expect(await statuses(app, '/')).toEqual([200]);
  });

  it.each([
    ['that it was given', { store: still() }],
    ['of its own', {}],
  ])('needs its own name on the store of the plugin, %s', async (_, store) => {
    const app = await limitedApp({ ...minute(9), ...store });
    const duplicate = expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' });
    expect(() => app.rateLimit(minute(1))).toThrow(duplicate);
    app.rateLimit({ name: 'a', ...minute(1) });
    expect(() => app.rateLimit({ name: 'a', ...minute(1) })).toThrow(duplicate);
  });

  it('shares the store of the plugin with routes without a store', async () => {
    const app = await limitedApp(minute(9));
    app.rateLimit({ name: 'GET /', ...minute(1) });
    app.get('/', { config: { rateLimit: minute(1) } }, handler);
    await expect(app.ready()).rejects.toMatchObject({ code: 'SLUICE_DUPLICATE_NAME' });
  });

  it.each(PHASES)('counts a request once if a handler passes it to the 404 handler, in %s', async (phase) => {
    const app = await limitedApp({ global: false });
    app.addHook(phase as 'onRequest', app.rateLimit(minute(9)));
    app.setNotFoundHandler(async (_request, reply) => reply.code(404).send('nothing'));
    app.get('/', (_request, reply) => void reply.callNotFound());
    const { statusCode, headers } = await app.inject('/');
    expect(statusCode).toBe(404);
    expect(headers).toMatchObject({ 'ratelimit-policy': '"per-1m";q=9;w=60', 'x-ratelimit-remaining': '8' });
  });

  it.each<[string, Pick<RateLimitOptions, 'onLimitReached'>]>([
    ['at once', {}],
    ['after a callback', { onLimitReached: () => {} }],
  ])('sends one response if two of them are asked at the same time, and both refuse %s', async (_, own) => {
    const app = await limitedApp({ global: false });
    let sent = 0;
    app.addHook('onSend', async (_request, _reply, payload) => {
      sent += 1;
      await new Promise(setImmediate);
      return payload;
    });
    const hooks = ['one', 'two'].map((name) => app.rateLimit({ name, ...minute(1), ...own }));
    const ask = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await Promise.all(hooks.map((hook) => hook(request, reply)));
    };
    app.get('/', { onRequest: ask }, handler);
    expect(await statuses(app, '/', '/', '/')).toEqual([200, 429, 429]);
    expect(sent).toBe(3);
  });

  it('limits a scope without the plugin, if the plugin is in an outer scope', async () => {
    const app = await limitedApp({ global: false });
    app.register(async (scope) => {
      scope.addHook('onRequest', scope.rateLimit(minute(1)));
      scope.get('/in', handler);
    });
    app.get('/out', handler);
    expect(await statuses(app, '/in', '/in', '/out', '/out')).toEqual([200, 429, 200, 200]);
  });
});

describe('A hook that an application calls itself, without a reply,', () => {
  const madeUp = () => ({ ip: '203.0.113.7', method: 'POST', url: '/batch' }) as FastifyRequest;
  const noReply = undefined as unknown as FastifyReply;

  it('rejects with what onLimitReached throws', async () => {
    const app = fastify();
    await app.register(rateLimit, { global: false });
    const refusal = new Error('too many');
    const limiter = app.rateLimit({
      ...minute(1),
      onLimitReached: () => {
        throw refusal;
      },
    });
    await limiter(madeUp(), noReply);
    await expect(limiter(madeUp(), noReply)).rejects.toBe(refusal);
  });

  it('says at the first call that it could refuse nobody', async () => {
    const app = fastify();
    await app.register(rateLimit, { global: false });
    await expect(app.rateLimit(minute(1))(madeUp(), noReply)).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
      message: expect.stringContaining('was called without a response, and can refuse nobody'),
    });
  });
});
