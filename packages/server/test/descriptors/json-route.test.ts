import { afterEach, describe, expect, it } from '@jest/globals';
import { policies } from '@sluice/config';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RequestMetrics } from '../../src/metrics/request-metrics.js';
import { createService } from '../../src/service/create-service.js';
import type { ServiceCall } from '../../src/service/service-call.js';
import { callerCheck } from '../../src/trust/caller-check.js';
import { TextSource } from '../text-source.js';
import { startJson } from './json-server.js';

const TEXT = `version: 1
policies:
  api: { limits: [{ name: minute, limit: 3, window: 1m }] }
  login: { limits: [{ name: hour, limit: 1, window: 1h }] }
  trial: { limits: [{ name: quarter, limit: 0, window: 15m }], enforce: 0 }
`;

const ends: (() => unknown)[] = [];

async function start(options: Partial<Parameters<typeof startJson>[0]> = {}) {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const live = await policies<ServiceCall>({ source: new TextSource(TEXT), store });
  const service = createService({ live, store });
  const server = await startJson({ service, ...options });
  ends.push(server.stop, () => live.close());
  return { ...server, clock, service };
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const entries = [{ key: 'remote_address', value: '192.0.2.1' }];

describe('POST /json', () => {
  it('answers in the JSON form of protobuf, with the fields also on its own response', async () => {
    const { post } = await start();
    const response = await post({ domain: 'api', descriptors: [{ entries }] });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('RateLimit')).toBe('"minute";r=2;t=60');
    expect(await response.json()).toEqual({
      overallCode: 'OK',
      statuses: [
        {
          code: 'OK',
          currentLimit: { name: 'minute', requestsPerUnit: 3, unit: 'MINUTE' },
          limitRemaining: 2,
          durationUntilReset: '60s',
        },
      ],
      responseHeadersToAdd: [
        { key: 'RateLimit-Policy', value: '"minute";q=3;w=60' },
        { key: 'RateLimit', value: '"minute";r=2;t=60' },
        { key: 'X-RateLimit-Limit', value: '3' },
        { key: 'X-RateLimit-Remaining', value: '2' },
        { key: 'X-RateLimit-Reset', value: '60' },
      ],
    });
  });

  it('refuses with 429, and leaves out what is 0 or was not asked', async () => {
    const { post, clock } = await start();
    const descriptors = [{ entries }, { entries }];
    await post({ domain: 'login', descriptors: [{ entries }] });
    clock.advance(3_599_500);
    const response = await post({ domain: 'login', descriptors });
    expect(response.status).toBe(429);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const body = (await response.json()) as { rawBody: string };
    expect(body).toMatchObject({
      overallCode: 'OVER_LIMIT',
      statuses: [
        {
          code: 'OVER_LIMIT',
          currentLimit: { name: 'hour', requestsPerUnit: 1, unit: 'HOUR' },
          durationUntilReset: '0.500s',
        },
        {},
      ],
    });
    expect(JSON.parse(Buffer.from(body.rawBody, 'base64').toString())).toMatchObject({ status: 429 });
  });

  it('tells data for other filters as an object', async () => {
    const { post } = await start();
    const response = await post({ domain: 'trial', descriptors: [{ entries }] });
    expect(await response.json()).toEqual({
      overallCode: 'OK',
      statuses: [{ code: 'OK' }],
      dynamicMetadata: { shadowed: ['trial:quarter'] },
    });
  });

  it('takes both spellings of names, digits as text, and null for what is absent', async () => {
    const { post } = await start();
    const absent = { limit: null, isNegativeHits: false, hitsAddend: null };
    const body = {
      domain: 'api',
      hitsAddend: '1',
      descriptors: [{ entries: [...entries, { key: 'perday' }], ...absent }],
    };
    expect((await post(body)).status).toBe(200);
    expect((await post({ domain: 'api', hits_addend: 1, descriptors: [{ entries, hits_addend: '1' }] })).status).toBe(
      200,
    );
  });

  it.each<[status: number, pointer: string, detail: string, body: unknown]>([
    [400, '', 'must be JSON', '{'],
    [400, '', 'must be an object', '[]'],
    [400, '/domain', 'must not be empty', {}],
    [400, '/domain', 'must be text, got 5', { domain: 5 }],
    [400, '/descriptors', 'must have 1 to 100 descriptors, got 0', { domain: 'api' }],
    [400, '/descriptor', 'is not known here', { domain: 'api', descriptor: [] }],
    [400, '/descriptors/0/entries', 'must have 1 to 100 entries, got 0', { domain: 'api', descriptors: [{}] }],
    [400, '/descriptors/0/entries/0/key', 'must not be empty', { domain: 'api', descriptors: [{ entries: [{}] }] }],
    [
      400,
      '/descriptors/0/entries/0/value',
      'must be text, got 1',
      { domain: 'api', descriptors: [{ entries: [{ key: 'a', value: 1 }] }] },
    ],
    [
      400,
      '/descriptors/0/limit',
      'must be absent',
      { domain: 'api', descriptors: [{ entries, limit: { requestsPerUnit: 5, unit: 'DAY' } }] },
    ],
    [
      400,
      '/descriptors/0/is_negative_hits',
      'must be false',
      { domain: 'api', descriptors: [{ entries, isNegativeHits: true }] },
    ],
    [
      400,
      '/descriptors/0/hits_addend',
      'comes twice',
      { domain: 'api', descriptors: [{ entries, hitsAddend: 1, hits_addend: 1 }] },
    ],
    [
      400,
      '/descriptors/0/hits_addend',
      'must be a whole number from 0 to 9007199254740991',
      { domain: 'api', descriptors: [{ entries, hitsAddend: '9007199254740992' }] },
    ],
    [
      400,
      '/hits_addend',
      'must be a whole number from 0 to 4294967295, got -1',
      { domain: 'api', hits_addend: -1, descriptors: [{ entries }] },
    ],
    [400, '/hitsAddend', 'must be a whole number', { domain: 'api', hitsAddend: '1.5', descriptors: [{ entries }] }],
    [
      400,
      '/descriptors',
      'lacks the entry that its policy counts by',
      { domain: 'api', descriptors: [{ entries: [{ key: 'a', value: 'b' }] }] },
    ],
    [404, '/descriptors/0', 'asks for the policy "nobody"', { domain: 'nobody', descriptors: [{ entries }] }],
    [413, '', 'must have at most 262144 bytes', ' '.repeat(300_000)],
  ])('answers %d and names %j: %s', async (status, pointer, detail, body) => {
    const { post, service, errors } = await start();
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      status,
      errors: [{ pointer, detail: expect.stringContaining(detail) }],
    });
    expect((await service.handle('api').peek(['ip', '192.0.2.1'])).tightest.used).toBe(0);
    expect(errors).toEqual([]);
  });

  it('answers 400 and names the field for a body that is compressed', async () => {
    const { post } = await start();
    const response = await post({ domain: 'api', descriptors: [{ entries }] }, { 'content-encoding': 'gzip' });
    expect(await response.json()).toMatchObject({ status: 400, errors: [{ header: 'Content-Encoding' }] });
  });

  it('answers callers without a token 401, if they are not on this machine', async () => {
    const { check } = callerCheck({ callTokens: ['a-token-of-the-balancer'], trustedProxies: [] });
    const elsewhere: Parameters<typeof startJson>[0]['callers'] = {
      knows: () => false,
      check: (request) => check(Object.create(request, { peer: { value: '203.0.113.9' } })),
    };
    const { post } = await start({ callers: elsewhere });
    expect((await post({ domain: 'api', descriptors: [{ entries }] })).status).toBe(401);
    const authorization = 'Bearer a-token-of-the-balancer';
    expect((await post({ domain: 'api', descriptors: [{ entries }] }, { authorization })).status).toBe(200);
  });

  it('lets a web page in a browser on this machine ask with a token alone', async () => {
    const { post, service } = await start({
      callers: callerCheck({ callTokens: ['a-token-of-the-page'], trustedProxies: [] }),
    });
    const ask = { domain: 'api', descriptors: [{ entries }] };
    const origin = 'http://page.test';
    expect((await post(ask, { origin, 'content-type': 'text/plain' })).status).toBe(401);
    expect((await post(ask, { origin: 'null', authorization: 'Bearer a-token-of-another-page' })).status).toBe(401);
    expect((await service.handle('api').peek(['ip', '192.0.2.1'])).tightest.used).toBe(0);
    expect((await post(ask, { origin, authorization: 'Bearer a-token-of-the-page' })).status).toBe(200);
  });

  it('is counted in the metrics by its status', async () => {
    const metrics = new RequestMetrics().of('json');
    const { post } = await start({ metrics });
    await post({ domain: 'login', descriptors: [{ entries }] });
    await post({ domain: 'login', descriptors: [{ entries }] });
    await post('');
    expect(Object.fromEntries(metrics.byCode)).toEqual({ 200: 1, 429: 1, 400: 1 });
  });
});
