import { afterEach, describe, expect, it } from '@jest/globals';
import { policyMetrics } from '@sluice/core';
import { headerKey, ipKey } from '@sluice/core/http';
import { rawExchange } from '../raw-exchange.js';
import { startTraffic, type TrafficServer, type TrafficServerOptions } from './traffic-server.js';

const TEXT = `version: 1
keys: { customer: { header: x-api-key } }
policies:
  api: { limits: [{ name: minute, limit: 2, window: 1m }], denyList: [198.51.100.7], allowList: [198.51.100.8] }
  login: { limits: [{ name: hour, limit: 1, window: 1h }] }
  short: { limits: [{ name: burst, algorithm: fixed-window, limit: 1, window: 2999ms }] }
  three: { limits: [{ name: burst, algorithm: fixed-window, limit: 1, window: 3s }] }
  customers: { key: customer, limits: [{ name: minute, limit: 2, window: 1m }] }
  costly: { cost: { header: x-cost, max: 5, trustedFrom: [127.0.0.1] }, limits: [{ name: minute, limit: 5, window: 1m }] }
  "a/b c": { limits: [{ name: minute, limit: 9, window: 1m }] }
  login/api: { limits: [{ name: minute, limit: 8, window: 1m }] }
  lo%67in: { limits: [{ name: minute, limit: 7, window: 1m }] }
`;

const running: TrafficServer[] = [];

async function start(options: TrafficServerOptions = {}, text = TEXT): Promise<TrafficServer> {
  const server = await startTraffic(text, options);
  running.push(server);
  return server;
}

afterEach(async () => {
  for (const server of running.splice(0)) {
    expect(server.reported).toEqual([]);
    await server.close();
  }
});

/** Lets a cache answer for one to two seconds, and for one more while it asks anew. */
const KEPT = 'max-age=1, stale-while-revalidate=1';

const FORWARD = '/v1/forward-auth/api';
const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });

/** A policy that refuses before it asks a limit, in each way that a file has. */
const REFUSING = `version: 1
keys: { customer: { header: x-api-key } }
tiers: { free: { minute: { limit: 2, window: 1m } } }
customers: { ann: { tier: free }, mallory: { block: true } }
policies:
  refusing:
    key: customer
    unknownCustomer: refuse
    denyList: [198.51.100.7]
    tier: { from: customers, default: free }
    limits: [{ name: minute, tier: true }]
`;

describe('The policies behind balancers', () => {
  it.each(['forward-auth', 'auth-request'])(
    'count whom they refuse without a limit, and answers are counted under the status that clients get: %s',
    async (way) => {
      const { ask, requestMetrics } = await start({}, REFUSING);
      const counted = () => policyMetrics().find(({ policy }) => policy === 'refusing');
      const before = counted()?.skipped ?? { denyList: 0, unknown: 0, blocked: 0 };
      const ofKey = (key: string, ip = '192.0.2.1') => ({
        headers: { 'x-api-key': key, 'x-forwarded-for': ip, 'x-real-ip': ip },
      });
      const path = `/v1/${way}/refusing`;
      await ask(path, ofKey('ann', '198.51.100.7'));
      for (let i = 0; i < 2; i += 1) await ask(path, ofKey('nobody'));
      for (let i = 0; i < 3; i += 1) await ask(path, ofKey('mallory'));
      for (let i = 0; i < 3; i += 1) await ask(path, ofKey('ann'));
      expect(counted()).toMatchObject({
        skipped: { denyList: before.denyList + 1, unknown: before.unknown + 2, blocked: before.blocked + 3 },
      });
      const { byCode } = requestMetrics.of(way === 'forward-auth' ? 'forward_auth' : 'auth_request');
      expect(Object.fromEntries(byCode)).toEqual({ 204: 2, 401: 2, 403: 4, 429: 1 });
    },
  );
});

describe('forward-auth', () => {
  it('answers 204 with the fields, and 429 with the problem, for any method', async () => {
    const { ask } = await start();
    for (const method of ['GET', 'DELETE']) {
      const { status, body, headers } = await ask(FORWARD, { method, ...from('192.0.2.1') });
      expect([status, body, headers['RateLimit-Policy']]).toEqual([204, '', '"minute";q=2;w=60']);
    }
    const { status, headers, body } = await ask(FORWARD, { method: 'POST', ...from('192.0.2.1') });
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'Retry-After': '60',
      RateLimit: '"minute";r=0;t=60',
    });
    expect(JSON.parse(body)).toMatchObject({ title: 'Quota Exceeded', 'violated-policies': ['minute'] });
  });

  it('answers HEAD without a body', async () => {
    const { ask } = await start();
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await ask(FORWARD, { method: 'HEAD' })).status);
    expect(statuses).toEqual([204, 204, 429]);
  });

  it('decides by several policies in the path, all or nothing', async () => {
    const { ask } = await start();
    const both = '/v1/forward-auth/api/login';
    expect((await ask(both, from('192.0.2.1'))).headers['RateLimit-Policy']).toBe(
      '"minute";q=2;w=60,"hour";q=1;w=3600',
    );
    for (let i = 0; i < 3; i += 1) {
      const { status, body } = await ask(both, from('192.0.2.1'));
      expect([status, JSON.parse(body)['violated-policies']]).toEqual([429, ['hour']]);
    }
    expect((await ask(FORWARD, from('192.0.2.1'))).headers.RateLimit).toBe('"minute";r=0;t=60');
  });

  it('finds a policy whose name is percent-encoded', async () => {
    const { ask } = await start();
    expect((await ask('/v1/forward-auth/a%2Fb%20c')).headers['RateLimit-Policy']).toBe('"minute";q=9;w=60');
  });

  it('finds no policy in a path because its name looks like the path', async () => {
    const { ask } = await start();
    expect((await ask('/v1/forward-auth/login/api')).headers['RateLimit-Policy']).toBe(
      '"hour";q=1;w=3600,"minute";q=2;w=60',
    );
    expect((await ask('/v1/forward-auth/login%2Fapi')).headers['RateLimit-Policy']).toBe('"minute";q=8;w=60');
    expect((await ask('/v1/forward-auth/lo%67in')).headers['RateLimit-Policy']).toBe('"hour";q=1;w=3600');
  });

  it('counts by the header fields that the balancer passes on', async () => {
    const { ask, service } = await start();
    const asked = { headers: { 'x-api-key': 'k1' } };
    await ask('/v1/forward-auth/customers', asked);
    expect(await service.handle('customers').peek(headerKey('x-api-key', 'k1'))).toMatchObject({
      tightest: { used: 1 },
    });
  });

  it('counts each answer in the counter of its protocol', async () => {
    const { ask, requestMetrics } = await start();
    for (const path of [FORWARD, FORWARD, FORWARD, '/v1/forward-auth/none', '/v1/auth-request/login']) await ask(path);
    expect([...requestMetrics.of('forward_auth').byCode]).toEqual([
      [204, 2],
      [429, 1],
      [404, 1],
    ]);
    expect([...requestMetrics.of('auth_request').byCode]).toEqual([[204, 1]]);
  });
});

describe('auth-request', () => {
  const AUTH = '/v1/auth-request';
  const real = (ip: string) => ({ headers: { 'x-real-ip': ip } });

  it('answers 403 without a body, and has status and problem in fields', async () => {
    const { ask } = await start();
    for (let i = 0; i < 2; i += 1) expect((await ask(`${AUTH}/api`, real('192.0.2.1'))).status).toBe(204);
    const forwarded = await ask(FORWARD, from('192.0.2.1'));
    const { status, headers, body } = await ask(`${AUTH}/api`, real('192.0.2.1'));
    expect([status, body]).toEqual([403, '']);
    expect(headers).toMatchObject({
      'Sluice-Status': '429',
      'Sluice-Problem': forwarded.body,
      'Retry-After': '60',
      'RateLimit-Policy': '"minute";q=2;w=60',
      RateLimit: '"minute";r=0;t=60',
      'Cache-Control': KEPT,
      'Content-Length': '0',
    });
    expect(headers).not.toHaveProperty('Content-Type');
  });

  it('keeps its connection after a refusal', async () => {
    const { port } = await start();
    const lineOf = (connection: string): string =>
      `GET ${AUTH}/login HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`;
    const lines = ['keep-alive', 'keep-alive', 'keep-alive', 'keep-alive', 'close'].map(lineOf);
    const answers = await rawExchange(port, lines.join(''));
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 204', ...new Array(4).fill('HTTP/1.1 403')]);
  });

  it.each([
    ['short', {}, 'no-store'],
    ['three', {}, KEPT],
    ['login', {}, KEPT],
    ['costly', { 'x-cost': '5' }, 'no-store'],
  ])(
    'lets nginx keep a refusal of %s only if every request would be refused for three seconds',
    async (policy, headers, expected) => {
      const { ask } = await start();
      expect((await ask(`${AUTH}/${policy}`, { headers })).headers).not.toHaveProperty('Cache-Control');
      const refused = await ask(`${AUTH}/${policy}`, { headers });
      expect([refused.status, refused.headers['Cache-Control']]).toEqual([403, expected]);
    },
  );

  it('lets nginx keep no refusal near its end, and each of an address list and of a blocked key', async () => {
    const { ask, clock, service } = await start();
    const control = async (policy: string, ip: string) =>
      (await ask(`${AUTH}/${policy}`, real(ip))).headers['Cache-Control'];
    await control('three', '192.0.2.1');
    expect(await control('three', '192.0.2.1')).toBe(KEPT);
    clock.advance(1);
    expect(await control('three', '192.0.2.1')).toBe('no-store');
    expect(await control('api', '198.51.100.7')).toBe(KEPT);
    await service.handle('three').block(ipKey('192.0.2.9'), '1h');
    expect(await control('three', '192.0.2.9')).toBe(KEPT);
  });
});

describe('a repeated request', () => {
  const asked = (id: string, ip = '192.0.2.1', more: Record<string, string> = {}) => ({
    headers: { 'x-forwarded-for': ip, 'sluice-request-id': id, ...more },
  });

  it('charges once, and gets the first answer', async () => {
    const { ask } = await start();
    for (let i = 0; i < 5; i += 1) {
      const { status, headers } = await ask(FORWARD, asked('r1'));
      expect([status, headers.RateLimit]).toEqual([204, '"minute";r=1;t=60']);
    }
    expect((await ask(FORWARD, asked('r2'))).headers.RateLimit).toBe('"minute";r=0;t=60');
    for (const id of ['r3', 'r3', 'r3']) expect((await ask(FORWARD, asked(id))).status).toBe(429);
  });

  it('is another one for another client, and in another policy', async () => {
    const { ask } = await start();
    await ask(FORWARD, asked('r1'));
    expect((await ask(FORWARD, asked('r1', '192.0.2.2'))).headers.RateLimit).toBe('"minute";r=1;t=60');
    expect((await ask('/v1/forward-auth/login', asked('r1'))).headers.RateLimit).toBe('"hour";r=0;t=3600');
    expect((await ask(FORWARD, asked('r4'))).headers.RateLimit).toBe('"minute";r=0;t=60');
  });

  it('is known only by the id of a trusted proxy', async () => {
    const { ask } = await start();
    const remaining: (string | undefined)[] = [];
    for (let i = 0; i < 2; i += 1) {
      remaining.push((await ask(FORWARD, { ...asked('r1'), from: '127.0.0.2' })).headers.RateLimit);
    }
    expect(remaining).toEqual(['"minute";r=1;t=60', '"minute";r=0;t=60']);
  });
});

describe('a malformed request', () => {
  const ip = { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.1' };

  it.each<[string, string, Record<string, string>, status: number, place: object]>([
    ['an unknown policy', '/v1/forward-auth/none', ip, 404, { parameter: 'policy' }],
    ['no policy', '/v1/forward-auth/', ip, 404, { parameter: 'policy' }],
    [
      'one unknown policy of two',
      '/v1/forward-auth/api/none',
      ip,
      404,
      { parameter: 'policy', detail: 'is not in the policy file: "none"' },
    ],
    ['a policy twice', '/v1/forward-auth/api/login/api', ip, 400, { parameter: 'policy' }],
    ['too many policies', `/v1/forward-auth/api${'/x'.repeat(16)}`, ip, 400, { parameter: 'policy' }],
    ['a broken percent sign', '/v1/auth-request/%E0%A4', ip, 400, { parameter: 'policy' }],
    ['a query', '/v1/forward-auth/api?policies=login', ip, 400, { parameter: 'query' }],
    ['no address', '/v1/forward-auth/api', { 'x-forwarded-for': 'unknown' }, 400, { header: 'x-forwarded-for' }],
    ['an empty list', '/v1/forward-auth/api', { 'x-forwarded-for': '' }, 400, { header: 'x-forwarded-for' }],
    [
      'a list that ends with nothing',
      '/v1/forward-auth/api',
      { 'x-forwarded-for': '1.2.3.4,' },
      400,
      { header: 'x-forwarded-for' },
    ],
    ['a list of commas', '/v1/forward-auth/api', { 'x-forwarded-for': ',,,' }, 400, { header: 'x-forwarded-for' }],
    ['a number that is no address', '/v1/auth-request/api', { 'x-real-ip': '1.2.3.4.5' }, 400, { header: 'x-real-ip' }],
    ['two addresses', '/v1/auth-request/api', { 'x-real-ip': '1.2.3.4, 1.2.3.5' }, 400, { header: 'x-real-ip' }],
    [
      'the other field alone',
      '/v1/auth-request/api',
      { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-uri': '/' },
      400,
      { header: 'x-real-ip' },
    ],
    [
      'a forwarded request without an address',
      '/v1/forward-auth/api',
      { 'x-forwarded-method': 'GET' },
      400,
      { header: 'x-forwarded-for' },
    ],
    [
      'two methods',
      '/v1/forward-auth/api',
      { ...ip, 'x-forwarded-method': 'GET, POST' },
      400,
      { header: 'X-Forwarded-Method' },
    ],
    [
      'an empty method',
      '/v1/forward-auth/api',
      { ...ip, 'x-forwarded-method': '' },
      400,
      { header: 'X-Forwarded-Method' },
    ],
    [
      'a path without a slash',
      '/v1/forward-auth/api',
      { ...ip, 'x-forwarded-uri': 'x' },
      400,
      { header: 'X-Forwarded-Uri' },
    ],
    ['two targets', '/v1/forward-auth/api', { ...ip, 'x-forwarded-uri': '/a, /b' }, 400, { header: 'X-Forwarded-Uri' }],
    ['two hosts', '/v1/forward-auth/api', { ...ip, 'x-forwarded-host': 'a, b' }, 400, { header: 'X-Forwarded-Host' }],
    ['an empty id', '/v1/forward-auth/api', { ...ip, 'sluice-request-id': '' }, 400, { header: 'Sluice-Request-Id' }],
    ['two ids', '/v1/forward-auth/api', { ...ip, 'sluice-request-id': 'a, b' }, 400, { header: 'Sluice-Request-Id' }],
    [
      'a long id',
      '/v1/forward-auth/api',
      { ...ip, 'sluice-request-id': 'x'.repeat(129) },
      400,
      { header: 'Sluice-Request-Id' },
    ],
  ])('with %s gets a problem that names the place, and spends nothing', async (_, path, headers, expected, place) => {
    const { ask, service } = await start();
    const { status, body, headers: fields } = await ask(path, { headers });
    // nginx makes a 500 of every status that it does not know.
    const isSubrequest = path.startsWith('/v1/auth-request/') && expected === 400;
    if (isSubrequest) expect(fields['Sluice-Status']).toBe('400');
    const problem: unknown = JSON.parse(isSubrequest ? String(fields['Sluice-Problem']) : body);
    expect([status, problem]).toEqual([
      isSubrequest ? 403 : expected,
      expect.objectContaining({ status: expected, errors: [expect.objectContaining(place)] }),
    ]);
    for (const address of ['192.0.2.1', '127.0.0.1', '1.2.3.4', '1.2.3.5']) {
      expect(await service.handle('api').inspect(ipKey(address))).toMatchObject({ verdicts: [{ used: 0 }] });
    }
  });
});
