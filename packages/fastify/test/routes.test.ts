import { describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { ipKey, rateLimit } from '../src/index.js';
import { limitedApp, minute, statuses, still } from './limited-app.js';

const handler = async (): Promise<string> => 'ok';
const duplicate = expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' });

describe('A route', () => {
  it('without a config shares the limit of the plugin', async () => {
    const app = await limitedApp(minute(2));
    app.get('/a', handler).get('/b', handler);
    expect(await statuses(app, '/a', '/b', '/a', '/b')).toEqual([200, 200, 429, 429]);
  });

  it('with its own limit counts separately from the others', async () => {
    const app = await limitedApp(minute(2));
    app.get('/strict', { config: { rateLimit: minute(1) } }, handler).get('/', handler);
    expect(await statuses(app, '/strict', '/strict', '/', '/', '/')).toEqual([200, 429, 200, 200, 429]);
  });

  it('is named after its method and path in header fields, unless it has a name', async () => {
    const app = await limitedApp({ ...minute(9), store: still() });
    app.get('/users/:id', { config: { rateLimit: minute(5) } }, handler);
    app.get('/named', { config: { rateLimit: { ...minute(5), name: 'own' } } }, handler);
    app.route({ method: ['PUT', 'PATCH'], url: '/ä', config: { rateLimit: minute(5) }, handler });
    const policyOf = async (method: 'GET' | 'PATCH', url: string) =>
      (await app.inject({ method, url })).headers['ratelimit-policy'];
    expect(await policyOf('GET', '/users/7')).toBe('"GET /users/:id";q=5;w=60');
    expect(await policyOf('GET', '/named')).toBe('"own";q=5;w=60');
    expect(await policyOf('PATCH', '/%C3%A4')).toBe('"PUT,PATCH /%C3%A4";q=5;w=60');
  });

  it('is distinguished by its name from routes with its path and another version or host', async () => {
    const app = await limitedApp(minute(9));
    const config = { rateLimit: minute(1) };
    for (const version of ['1.0.0', '2.0.0']) app.get('/', { config, constraints: { version } }, handler);
    app.get('/', { config, constraints: { host: 'api.example' } }, handler);
    const first = { url: '/', headers: { 'accept-version': '1.0.0' } };
    const second = { url: '/', headers: { 'accept-version': '2.0.0' } };
    const third = { url: '/', headers: { host: 'api.example' } };
    expect(await statuses(app, first, second, third, first, second, third)).toEqual([200, 200, 200, 429, 429, 429]);
    expect(app.rateLimit.policy('GET / version=2.0.0').policy).toBe('GET / version=2.0.0');
  });

  it('may have a path that is longer than a name and differs from others at its end', async () => {
    const app = await limitedApp(minute(9));
    const path = `/${'long/'.repeat(40)}`;
    for (const end of ['a', 'b']) app.get(path + end, { config: { rateLimit: minute(1) } }, handler);
    expect(await statuses(app, `${path}a`, `${path}b`, `${path}a`)).toEqual([200, 200, 429]);
  });

  it('that changes another option inherits the limit, but counts separately', async () => {
    const app = await limitedApp({ ...minute(2), name: 'site' });
    app.get('/dear', { config: { rateLimit: { cost: 2 } } }, handler).get('/', handler);
    expect(await statuses(app, '/dear', '/dear', '/', '/', '/')).toEqual([200, 429, 200, 200, 429]);
  });

  it.each([
    ['limit and window', minute(9)],
    ['limits', { limits: [{ ...minute(9), name: 'a' }] }],
  ])('with its own limit inherits all options but the %s of the plugin', async (_, amount) => {
    const app = await limitedApp({ ...amount, message: 'Later.', legacyHeaders: false, keyGenerator: () => 'all' });
    app.get('/', { config: { rateLimit: minute(1) } }, handler);
    await app.inject('/');
    const { statusCode, body, headers } = await app.inject({ url: '/', remoteAddress: '203.0.113.7' });
    expect([statusCode, body]).toEqual([429, 'Later.']);
    expect(headers).toMatchObject({ 'ratelimit-policy': '"GET /";q=1;w=60' });
    expect(headers).not.toHaveProperty('x-ratelimit-limit');
  });

  it('with config rateLimit false is not limited', async () => {
    const app = await limitedApp(minute(0));
    app.get('/', { config: { rateLimit: false } }, handler);
    const { statusCode, headers } = await app.inject('/');
    expect(statusCode).toBe(200);
    expect(headers).not.toHaveProperty('ratelimit');
  });

  it('counts GET and HEAD together', async () => {
    const app = await limitedApp(minute(9));
    app.get('/', { config: { rateLimit: minute(2) } }, handler);
    expect(await statuses(app, '/', { method: 'HEAD', url: '/' }, '/')).toEqual([200, 200, 429]);
  });

  it('counts GET and HEAD together if it has other methods', async () => {
    const app = await limitedApp(minute(9));
    const options = { config: { rateLimit: minute(2) }, handler };
    app.route({ method: ['POST', 'GET'], url: '/', ...options }).route({ method: 'GET', url: '/other', ...options });
    const head = { method: 'HEAD', url: '/' } as const;
    expect(await statuses(app, { method: 'POST', url: '/' }, head, '/', head)).toEqual([200, 200, 429, 429]);
    expect(await statuses(app, { method: 'HEAD', url: '/other' }, '/other', '/other')).toEqual([200, 200, 429]);
  });

  it('counts paths with and without a final slash together, in a scope with a prefix', async () => {
    const app = await limitedApp(minute(9));
    app.register(async (api) => void api.get('/', { config: { rateLimit: minute(1) } }, handler), { prefix: '/api' });
    expect(await statuses(app, '/api', '/api/')).toEqual([200, 429]);
  });

  it('is limited if it was added before the plugin', async () => {
    const app = fastify();
    app.register(rateLimit, minute(2));
    app.get('/', handler).get('/strict', { config: { rateLimit: minute(1) } }, handler);
    expect(await statuses(app, '/strict', '/strict', '/', '/', '/')).toEqual([200, 429, 200, 200, 429]);
  });

  it('shares options with another route, but counts together only if they have a name', async () => {
    const apart = minute(1);
    const together = { ...minute(1), name: 'writes' };
    const app = await limitedApp(minute(9));
    app.get('/a', { config: { rateLimit: apart } }, handler).get('/b', { config: { rateLimit: apart } }, handler);
    app.put('/a', { config: { rateLimit: together } }, handler).put('/b', { config: { rateLimit: together } }, handler);
    expect(await statuses(app, '/a', '/b')).toEqual([200, 200]);
    expect(await statuses(app, { method: 'PUT', url: '/a' }, { method: 'PUT', url: '/b' })).toEqual([200, 429]);
  });

  it('may not have the name of another policy', async () => {
    const app = await limitedApp(minute(9));
    app.get('/', { config: { rateLimit: { name: 'default', ...minute(1) } } }, handler);
    await expect(app.ready()).rejects.toEqual(duplicate);
  });
});

describe('With global: false', () => {
  it('routes that ask for it are limited, with inherited options', async () => {
    const app = await limitedApp({ ...minute(1), global: false });
    app.get('/', handler).get('/limited', { config: { rateLimit: {} } }, handler);
    expect(await statuses(app, '/', '/', '/limited', '/limited', '/nowhere', '/nowhere')).toEqual([
      200, 200, 200, 429, 404, 404,
    ]);
  });

  it('the plugin may have no limit', async () => {
    const app = await limitedApp({ global: false });
    app.get('/', { config: { rateLimit: minute(1) } }, handler);
    expect(await statuses(app, '/', '/')).toEqual([200, 429]);
  });
});

describe('app.rateLimit.policy()', () => {
  it('is the handle of the plugin’s policy, and of those of routes', async () => {
    const app = await limitedApp(minute(1));
    app.get('/', handler).post('/login', { config: { rateLimit: minute(1) } }, handler);
    const login = { method: 'POST', url: '/login' } as const;
    expect(await statuses(app, '/', '/', login, login)).toEqual([200, 429, 200, 429]);
    await app.rateLimit.policy('POST /login').reset(ipKey('127.0.0.1'));
    expect(await statuses(app, '/', login)).toEqual([429, 200]);
    await app.rateLimit.policy('default').reset(ipKey('127.0.0.1'));
    expect(await statuses(app, '/', login)).toEqual([200, 429]);
    expect(app.rateLimit.policy('default').policy).toBe('default');
  });

  it('spends and reserves by a key for calls that hooks do not see', async () => {
    const app = await limitedApp(minute(2));
    app.get('/', handler);
    await app.ready();
    const policy = app.rateLimit.policy('default');
    const job = await policy.reserve(ipKey('127.0.0.1'), { cost: 2 });
    expect(await statuses(app, '/')).toEqual([429]);
    await job.settle(1);
    await policy.consume(ipKey('127.0.0.1'));
    expect(await statuses(app, '/')).toEqual([429]);
  });

  it('lists the policies if the name is unknown', async () => {
    const app = await limitedApp({ ...minute(1), name: 'site' });
    expect(() => app.rateLimit.policy('sight')).toThrow(/there is no policy named "sight": they are site /);
  });
});
