import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Key } from '@sluice/core';
import { headerKey, ipKey } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';
import { RequestMetrics } from '../../src/metrics/request-metrics.js';
import { callerCheck } from '../../src/trust/caller-check.js';
import { FragileStore } from '../fragile-store.js';
import { type CallOptions, descriptorsOf, fieldsOf, OfficialClient, type OfficialResponse } from './official-client.js';
import { startGrpc } from './test-server.js';

const TEXT = `version: 1
keys:
  user: code
  customer: { header: x-api-key }
policies:
  api: { limits: [{ name: minute, limit: 3, window: 1m }], denyList: [198.51.100.7], allowList: [198.51.100.8] }
  login: { limits: [{ name: hour, limit: 1, window: 1h }] }
  shop.login: { limits: [{ name: hour, limit: 2, window: 1h }] }
  users: { key: user, limits: [{ name: month, limit: 5, window: { unit: month, timeZone: UTC } }] }
  customers: { key: customer, limits: [{ name: second, limit: 2, window: 1s }] }
  trial: { limits: [{ name: quarter, limit: 1, window: 15m }], enforce: 0 }
  bucket: { key: everyone, limits: [{ name: b, algorithm: token-bucket, capacity: 2, refillRate: 0.1 }] }
  total: { key: everyone, limits: [{ name: quarter, limit: 10, window: 15m }] }
`;

type Entries = Readonly<Record<string, string>>;

const ends: (() => unknown)[] = [];

async function start(options: Parameters<typeof startGrpc>[1] = {}) {
  const server = await startGrpc(TEXT, options);
  const client = new OfficialClient(server.port);
  ends.push(() => client.close(), server.stop);
  const ask = (domain: string, ...descriptors: Entries[]) =>
    client.call({ domain, descriptors: descriptorsOf(...descriptors) });
  const used = async (policy: string, key: Key) => (await server.service.handle(policy).peek(key)).tightest.used;
  return { ...server, client, ask, used };
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The problem of a call that was not decided, which Envoy gets as a refusal. */
function problemOf({ overall_code, raw_body, dynamic_metadata }: OfficialResponse): Record<string, unknown> {
  expect(overall_code).toBe('OVER_LIMIT');
  const problem = JSON.parse(String(raw_body));
  expect(dynamic_metadata).toMatchObject({ fields: { status: { numberValue: problem.status } } });
  return problem;
}

const CLIENT = '192.0.2.1';
const KEY = ipKey(CLIENT) as Key;

describe('a descriptor', () => {
  it('asks the policy that the domain names, and tells its tightest limit', async () => {
    const { ask } = await start();
    const response = await ask('api', { remote_address: CLIENT });
    expect(response).toMatchObject({
      overall_code: 'OK',
      statuses: [
        {
          code: 'OK',
          current_limit: { name: 'minute', requests_per_unit: 3, unit: 'MINUTE' },
          limit_remaining: 2,
          duration_until_reset: { seconds: 60, nanos: 0 },
        },
      ],
      dynamic_metadata: null,
    });
    expect(response.raw_body).toHaveLength(0);
    expect(fieldsOf(response)).toEqual({
      'RateLimit-Policy': '"minute";q=3;w=60',
      RateLimit: '"minute";r=2;t=60',
      'X-RateLimit-Limit': '3',
      'X-RateLimit-Remaining': '2',
      'X-RateLimit-Reset': '60',
    });
  });

  it('is refused with the fields and the body of the middleware', async () => {
    const { ask, clock } = await start();
    await ask('login', { remote_address: CLIENT });
    clock.advance(1500);
    const response = await ask('login', { remote_address: CLIENT });
    expect(response).toMatchObject({
      overall_code: 'OVER_LIMIT',
      statuses: [
        {
          code: 'OVER_LIMIT',
          current_limit: { unit: 'HOUR' },
          limit_remaining: 0,
          duration_until_reset: { seconds: 3598, nanos: 500_000_000 },
        },
      ],
    });
    expect(fieldsOf(response)).toMatchObject({
      'Retry-After': '3599',
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
    });
    expect(JSON.parse(String(response.raw_body))).toMatchObject({ status: 429, 'violated-policies': ['hour'] });
  });

  it.each<[title: string, domain: string, entries: Entries, policy: string, key: Key]>([
    ['an entry `policy` in place of the domain', 'edge', { policy: 'login', remote_address: CLIENT }, 'login', KEY],
    [
      'an entry `policy` after a domain that ends with a dot',
      'shop.',
      { policy: 'login', remote_address: CLIENT },
      'shop.login',
      KEY,
    ],
    [
      'a masked address',
      'api',
      { masked_remote_address: '2001:db8:1:200::/56' },
      'api',
      ipKey('2001:db8:1:2ff::1') as Key,
    ],
    ['a key from code', 'users', { user: 'ann' }, 'users', 'ann'],
    [
      'a key of the name of a prototype',
      'users',
      { ['__proto__']: 'x', constructor: 'y', user: 'ann' },
      'users',
      'ann',
    ],
    ['a header field in any case', 'customers', { 'X-Api-Key': 'k1' }, 'customers', headerKey('x-api-key', 'k1')],
    ['a key that all share', 'total', { generic_key: 'all' }, 'total', ['everyone']],
  ])('counts by %s', async (_, domain, entries, policy, key) => {
    const { ask, used } = await start();
    await ask(domain, entries);
    expect(await used(policy, key)).toBe(1);
  });

  it('counts the values of a repeated entry as one key', async () => {
    const { client, used } = await start();
    const entries = ['a', 'b', 'c'].map((value) => ({ key: 'user', value }));
    await client.call({ domain: 'users', descriptors: [{ entries }] });
    expect(await used('users', ['a', 'b', 'c'])).toBe(1);
  });

  it('counts by the address if its key is missing', async () => {
    const { ask, used } = await start();
    await ask('users', { remote_address: CLIENT, user: '' });
    expect(await used('users', KEY)).toBe(1);
  });

  it('tells the unit of the window, if RLS has it', async () => {
    const { ask } = await start();
    const unitOf = async (domain: string, entries: Entries) =>
      (await ask(domain, entries)).statuses[0]?.current_limit?.unit;
    expect(await unitOf('customers', { 'x-api-key': 'k' })).toBe('SECOND');
    expect(await unitOf('users', { user: 'ann' })).toBe('MONTH');
    expect(await unitOf('total', { generic_key: 'all' })).toBe('UNKNOWN');
  });

  it('tells how long until a full limit if it is allowed, and until the same request if it is refused', async () => {
    const { ask } = await start();
    const statusOf = async () => (await ask('bucket', { generic_key: 'all' })).statuses[0];
    expect(await statusOf()).toMatchObject({ limit_remaining: 1, duration_until_reset: { seconds: 10 } });
    expect(await statusOf()).toMatchObject({ limit_remaining: 0, duration_until_reset: { seconds: 20 } });
    expect(await statusOf()).toMatchObject({ code: 'OVER_LIMIT', duration_until_reset: { seconds: 10 } });
  });

  it('tells no limit for an address on a list, and the status of a refusal that is not 429', async () => {
    const { ask } = await start();
    expect(await ask('api', { remote_address: '198.51.100.8' })).toMatchObject({
      overall_code: 'OK',
      statuses: [{ code: 'OK', current_limit: null }],
    });
    const denied = await ask('api', { remote_address: '198.51.100.7' });
    expect(denied).toMatchObject({
      overall_code: 'OVER_LIMIT',
      statuses: [{ code: 'OVER_LIMIT', current_limit: null }],
      dynamic_metadata: { fields: { status: { numberValue: 403 } } },
    });
    expect(JSON.parse(String(denied.raw_body))).toEqual({ type: 'about:blank', title: 'Forbidden', status: 403 });
  });

  it('tells which limits would have refused if they were enforced', async () => {
    const { ask } = await start();
    expect(await ask('trial', { remote_address: CLIENT })).toMatchObject({ dynamic_metadata: null });
    expect(await ask('trial', { remote_address: CLIENT })).toMatchObject({
      overall_code: 'OK',
      dynamic_metadata: { fields: { shadowed: { listValue: { values: [{ stringValue: 'trial:quarter' }] } } } },
    });
  });
});

describe('the hits of a request', () => {
  const entries = [{ key: 'remote_address', value: CLIENT }];

  it('are its cost, and those of a descriptor come first', async () => {
    const { client, used } = await start();
    await client.call({ domain: 'api', hits_addend: 2, descriptors: [{ entries }] });
    expect(await used('api', KEY)).toBe(2);
    const descriptors = [{ entries }, { entries: [{ key: 'policy', value: 'total' }], hits_addend: { value: 5 } }];
    await client.call({ domain: 'api', hits_addend: 1, descriptors }, { isNewer: true });
    expect([await used('api', KEY), await used('total', ['everyone'])]).toEqual([3, 5]);
  });

  it('are those of the policy if there are none, or 0 for all', async () => {
    const { client, used } = await start();
    await client.call({ domain: 'api', hits_addend: 0, descriptors: [{ entries }] });
    expect(await used('api', KEY)).toBe(1);
  });

  it('of 0 for a descriptor peek, and spend nothing', async () => {
    const { client, used } = await start();
    const look = { domain: 'login', descriptors: [{ entries, hits_addend: { value: 0 } }] };
    expect(await client.call(look, { isNewer: true })).toMatchObject({
      overall_code: 'OK',
      statuses: [{ limit_remaining: 1 }],
    });
    await client.call({ domain: 'login', descriptors: [{ entries }] });
    expect(await client.call(look, { isNewer: true })).toMatchObject({ overall_code: 'OVER_LIMIT' });
    expect(await used('login', KEY)).toBe(1);
  });

  it('of a peek that is refused give back what was charged before it', async () => {
    const { client, ask, used } = await start();
    await ask('login', { remote_address: CLIENT });
    const look = { entries: [...entries, { key: 'policy', value: 'login' }], hits_addend: { value: 0 } };
    const response = await client.call({ domain: 'api', descriptors: [{ entries }, look] }, { isNewer: true });
    expect(response.statuses.map(({ code }) => code)).toEqual(['OK', 'OVER_LIMIT']);
    expect(fieldsOf(response)).toMatchObject({ RateLimit: '"hour";r=0;t=3600', 'Retry-After': '3600' });
    expect(await used('api', KEY)).toBe(0);
  });

  it('of a peek that is allowed leave the fields to what is counted', async () => {
    const { client } = await start();
    const look = { entries: [...entries, { key: 'policy', value: 'login' }], hits_addend: { value: 0 } };
    const response = await client.call({ domain: 'api', descriptors: [{ entries }, look] }, { isNewer: true });
    expect(fieldsOf(response).RateLimit).toBe('"minute";r=2;t=60');
  });

  it('above the limit are refused for ever, and no hits can be given back', async () => {
    const { client, used } = await start();
    const response = await client.call({ domain: 'api', hits_addend: 4, descriptors: [{ entries }] });
    expect(response.overall_code).toBe('OVER_LIMIT');
    expect(fieldsOf(response)).not.toHaveProperty('Retry-After');
    const huge = { domain: 'api', descriptors: [{ entries, hits_addend: { value: 2 ** 53 } }] };
    const negative = { domain: 'api', descriptors: [{ entries, is_negative_hits: true }] };
    for (const mistake of [huge, negative])
      expect(problemOf(await client.call(mistake, { isNewer: true }))).toMatchObject({ status: 400 });
    expect(await used('api', KEY)).toBe(0);
  });
});

describe('an operation id', () => {
  const metadata = { 'sluice-request-id': '6f1e' };
  const descriptors = descriptorsOf({ remote_address: CLIENT });

  it('lets a repeated request get the first answer, and charges once', async () => {
    const { client, used } = await start();
    const first = await client.call({ domain: 'api', descriptors }, { metadata });
    expect(await client.call({ domain: 'api', descriptors }, { metadata })).toEqual(first);
    await client.call({ domain: 'api', descriptors }, { metadata: { 'sluice-request-id': 'other' } });
    expect(await used('api', KEY)).toBe(2);
  });

  it('counts each descriptor by itself', async () => {
    const { client, used } = await start();
    const twice = [...descriptors, ...descriptors];
    await client.call({ domain: 'api', descriptors: twice }, { metadata });
    await client.call({ domain: 'api', descriptors: twice }, { metadata });
    expect(await used('api', KEY)).toBe(2);
  });

  it('gives back once what a refused request charged, however often it is repeated', async () => {
    const { client, ask, used } = await start();
    await ask('api', { remote_address: CLIENT });
    await ask('login', { remote_address: CLIENT });
    const both = descriptorsOf({ remote_address: CLIENT }, { policy: 'login', remote_address: CLIENT });
    for (let i = 0; i < 3; i += 1) {
      const response = await client.call({ domain: 'api', descriptors: both }, { metadata });
      expect(response.overall_code).toBe('OVER_LIMIT');
    }
    expect(await used('api', KEY)).toBe(1);
  });

  it.each(['x'.repeat(129), 'a b'])('of %p is refused', async (id) => {
    const { client, used } = await start();
    const call = client.call({ domain: 'api', descriptors }, { metadata: { 'sluice-request-id': id } });
    expect(problemOf(await call)).toEqual({
      title: 'Bad Request',
      status: 400,
      detail: 'sluice-request-id must be 1 to 128 visible ASCII characters',
    });
    expect(await used('api', KEY)).toBe(0);
  });
});

describe('several descriptors', () => {
  it('are all counted, and their fields are those of a chain of middlewares', async () => {
    const { ask, used } = await start();
    const response = await ask('api', { remote_address: CLIENT }, { policy: 'users', user: 'ann' });
    expect(response.statuses.map(({ code, limit_remaining }) => [code, limit_remaining])).toEqual([
      ['OK', 2],
      ['OK', 4],
    ]);
    expect(fieldsOf(response).RateLimit).toMatch(/^"minute";r=2;t=60,"month";r=4;t=\d+$/);
    expect([await used('api', KEY), await used('users', 'ann')]).toEqual([1, 1]);
  });

  it('of one policy count by their own keys, without a warning', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { ask, used } = await start();
    const response = await ask('users', { user: 'ann' }, { user: 'bob' });
    expect(fieldsOf(response).RateLimit).toMatch(/^"month";r=4;t=\d+,"users:month";r=4;t=\d+$/);
    expect([await used('users', 'ann'), await used('users', 'bob')]).toEqual([1, 1]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('spend nothing if one is refused, wherever it stands; later ones are not asked', async () => {
    const { ask, used } = await start();
    await ask('login', { remote_address: CLIENT });
    const descriptors = [
      { policy: 'api', remote_address: CLIENT },
      { policy: 'login', remote_address: CLIENT },
      { policy: 'users', user: 'ann' },
    ];
    const response = await ask('edge', ...descriptors);
    expect(response.overall_code).toBe('OVER_LIMIT');
    expect(response.statuses.map(({ code }) => code)).toEqual(['OK', 'OVER_LIMIT', 'UNKNOWN']);
    expect(fieldsOf(response)['Retry-After']).toBe('3600');
    expect([await used('api', KEY), await used('users', 'ann')]).toEqual([0, 0]);
  });

  it('spend nothing if one cannot be counted', async () => {
    const { ask, used } = await start();
    const failed = await ask('edge', { policy: 'api', remote_address: CLIENT }, { policy: 'login', other: 'x' });
    expect(problemOf(failed)).toMatchObject({ status: 400 });
    expect(await used('api', KEY)).toBe(0);
  });
});

describe('a request that cannot be asked', () => {
  const entries = [{ key: 'remote_address', value: CLIENT }];

  it.each<[detail: string, request: object]>([
    ['domain must not be empty', { domain: '', descriptors: [{ entries }] }],
    ['descriptors must have 1 to 100 descriptors, got 0', { domain: 'api' }],
    [
      'descriptors must have 1 to 100 descriptors, got 10000',
      { domain: 'api', descriptors: new Array(10_000).fill({ entries: [{ key: 'a' }] }) },
    ],
    ['descriptors[1].entries must have 1 to 100 entries, got 0', { domain: 'api', descriptors: [{ entries }, {}] }],
    [
      'descriptors[0].entries[0].key must not be empty',
      { domain: 'api', descriptors: [{ entries: [{ key: '', value: 'x' }] }] },
    ],
    [
      'descriptors[0].entries[1] repeats an earlier entry',
      { domain: 'api', descriptors: [{ entries: [...entries, ...entries] }] },
    ],
    [
      'descriptors[0].entries[0].value must be an IP address',
      { domain: 'api', descriptors: [{ entries: [{ key: 'remote_address', value: '192.0.2.1:80' }] }] },
    ],
    [
      'descriptors[0].entries[0].value must be an IP address',
      { domain: 'api', descriptors: [{ entries: [{ key: 'masked_remote_address', value: '192.0.2.0/x' }] }] },
    ],
    [
      'descriptors[0].limit must be absent: the policy file has the limits',
      { domain: 'api', descriptors: [{ entries, limit: { requests_per_unit: 1000, unit: 'DAY' } }] },
    ],
    [
      'a descriptor lacks the entry that its policy counts by',
      { domain: 'api', descriptors: [{ entries: [{ key: 'user', value: 'ann' }] }] },
    ],
  ])('is refused, because Envoy passes errors: %s', async (detail, request) => {
    const requestMetrics = new RequestMetrics();
    const { client, used, errors } = await start({ metrics: requestMetrics.of('rls') });
    const answer = await client.call(request);
    expect(problemOf(answer)).toMatchObject({ status: 400, detail: expect.stringContaining(detail) });
    expect(answer.raw_body.length).toBeLessThan(250);
    expect(answer.statuses.map(({ code }) => code)).not.toContain('OK');
    expect(Object.fromEntries(requestMetrics.of('rls').byCode)).toEqual({ INVALID_ARGUMENT: 1 });
    expect(await used('api', KEY)).toBe(0);
    expect(errors).toEqual([]);
  });

  it('is refused if it meets a mistake of the service, which is reported and counted', async () => {
    const requestMetrics = new RequestMetrics();
    const { ask, service, errors } = await start({ metrics: requestMetrics.of('rls') });
    const mistake = new TypeError('a mistake');
    jest.spyOn(service, 'answer').mockImplementation(() => {
      throw mistake;
    });
    expect(problemOf(await ask('api', { remote_address: CLIENT }))).toEqual({
      title: 'Internal Server Error',
      status: 500,
      detail: 'the request could not be decided',
    });
    expect(Object.fromEntries(requestMetrics.of('rls').byCode)).toEqual({ INTERNAL: 1 });
    expect(errors).toEqual([mistake]);
  });

  it('gets INVALID_ARGUMENT if it is no message, and RESOURCE_EXHAUSTED if it is too long', async () => {
    const { client, ask } = await start();
    const sending = (bytes: Buffer): Promise<unknown> => client.call({}, { bytes });
    await expect(sending(Buffer.from([0x0f]))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    await expect(sending(Buffer.alloc(300_000, 0x0a))).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    await expect(ask('api', { remote_address: CLIENT })).resolves.toMatchObject({ overall_code: 'OK' });
  });

  it.each([
    ['nobody', 'descriptors[0] asks for the policy "nobody", which the policy file does not have'],
    ['shop.', 'descriptors[0] asks for the policy "shop."'],
    ['x'.repeat(100_000), `descriptors[0] asks for the policy ${JSON.stringify('x'.repeat(45)).slice(0, 40)}`],
  ])(
    'is refused for the policy %.10s that the file does not have, although Envoy passes errors',
    async (domain, detail) => {
      const { client, used } = await start();
      const entries = [{ key: 'remote_address', value: CLIENT }];
      const answer = await client.call({ domain, descriptors: [{ entries }, { entries }] });
      expect(answer).toMatchObject({
        overall_code: 'OVER_LIMIT',
        statuses: [{ code: 'OVER_LIMIT' }, { code: 'UNKNOWN' }],
      });
      const body = String(answer.raw_body);
      expect(JSON.parse(body)).toMatchObject({ status: 404, detail: expect.stringContaining(detail) });
      expect(body.length).toBeLessThan(300);
      expect(await used('api', KEY)).toBe(0);
    },
  );

  it('is refused by the new file if that removes a policy while an earlier one is asked, and nothing is spent', async () => {
    const clock = new ManualClock();
    const { ask, live, service, source, used, errors } = await start({ store: new FragileStore(clock) });
    const { answer } = service;
    jest.spyOn(service, 'answer').mockImplementation(async (policy, call) => {
      const answered = await answer(policy, call);
      await live.reload({ allowRemovals: true });
      return answered;
    });
    source.text = TEXT.replace('  login:', '  sign-in:');
    const both = await ask('api', { remote_address: CLIENT }, { policy: 'login', remote_address: CLIENT });
    expect(problemOf(both)).toMatchObject({ status: 404, detail: expect.stringContaining('the policy "login"') });
    expect(await used('api', KEY)).toBe(0);
    expect(errors).toEqual([]);
  });

  it('is refused after its policy has gone with a new file, and nothing is spent', async () => {
    const { ask, live, source, used } = await start();
    await ask('login', { remote_address: '192.0.2.2' });
    source.text = TEXT.replace('  login:', '  sign-in:');
    await expect(live.reload()).resolves.toMatchObject({ outcome: 'rejected' });
    await expect(ask('login', { remote_address: '192.0.2.3' })).resolves.toMatchObject({ overall_code: 'OK' });
    await live.reload({ allowRemovals: true });
    await expect(
      ask('api', { remote_address: CLIENT }, { policy: 'login', remote_address: CLIENT }),
    ).resolves.toMatchObject({ overall_code: 'OVER_LIMIT', statuses: [{ code: 'UNKNOWN' }, { code: 'OVER_LIMIT' }] });
    expect(await used('api', KEY)).toBe(0);
  });
});

describe('a caller', () => {
  it('needs a call token if it is not trusted', async () => {
    const hasToken = callerCheck({ callTokens: ['a-token-of-the-balancer'], trustedProxies: [] });
    // The test asks from loopback, which is trusted.
    const callers = {
      ...hasToken,
      knows: (_: unknown, authorization: string | undefined) => hasToken.knows('203.0.113.9', authorization),
    };
    const { client } = await start({ callers });
    const call = (options: CallOptions = {}) =>
      client.call({ domain: 'api', descriptors: descriptorsOf({ remote_address: CLIENT }) }, options);
    const unknown = { code: status.UNAUTHENTICATED, details: expect.stringContaining('call token') };
    await expect(call()).rejects.toMatchObject(unknown);
    await expect(call({ metadata: { authorization: 'Bearer wrong' } })).rejects.toMatchObject(unknown);
    const known = call({ metadata: { authorization: 'Bearer a-token-of-the-balancer' } });
    await expect(known).resolves.toMatchObject({ statuses: [{ limit_remaining: 2 }] });
  });

  it('is known by the address of its connection', async () => {
    const peers: unknown[] = [];
    const callers = { knows: (peer: unknown) => peers.push(peer) > 0, check() {} };
    const { ask } = await start({ callers });
    await ask('api', { remote_address: CLIENT });
    expect(peers).toEqual(['127.0.0.1']);
  });

  it('is counted in the metrics by the outcome', async () => {
    const requestMetrics = new RequestMetrics();
    const { ask } = await start({ metrics: requestMetrics.of('rls') });
    await ask('login', { remote_address: CLIENT });
    await ask('login', { remote_address: CLIENT });
    await ask('nobody', { remote_address: CLIENT });
    expect(Object.fromEntries(requestMetrics.of('rls').byCode)).toEqual({ OK: 1, OVER_LIMIT: 1, NOT_FOUND: 1 });
  });
});
