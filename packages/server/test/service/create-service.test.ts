import { afterEach, describe, expect, it } from '@jest/globals';
import { policies } from '@sluice/config';
import { MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { createService } from '../../src/service/create-service.js';
import type { ServiceCall } from '../../src/service/service-call.js';
import { SERVICE_POLICIES } from '../../src/service/service-policies.js';
import { FragileStore } from '../fragile-store.js';
import { TextSource } from '../text-source.js';

const TEXT = `version: 1
policies:
  api: { limits: [{ name: minute, limit: 3, window: 1m }], denyList: [198.51.100.7], allowList: [198.51.100.8] }
  login: { limits: [{ name: hour, limit: 1, window: 1h }] }
`;

const ends: (() => Promise<unknown>)[] = [];

async function serviceOf(text = TEXT, clock = new ManualClock(), store: Store = new MemoryStore({ clock })) {
  const source = new TextSource(text);
  const live = await policies<ServiceCall, boolean>({ source, store, ...SERVICE_POLICIES });
  ends.push(() => live.close());
  return { clock, source, live, service: createService({ live, store }) };
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const callOf = (ip: string, more: Partial<ServiceCall> = {}): ServiceCall => ({
  kind: 'consume',
  method: 'GET',
  url: '/',
  headers: {},
  ip,
  ...more,
});

describe('the service', () => {
  it('answers an allowed call at once over a synchronous store, with the fields of the middleware', async () => {
    const { service } = await serviceOf();
    const answer = service.answer('api', callOf('192.0.2.1'));
    expect(answer).not.toBeInstanceOf(Promise);
    expect(await answer).toMatchObject({
      allowed: true,
      decision: { policy: 'api', allowed: true },
      headers: { RateLimit: '"minute";r=2;t=60', 'RateLimit-Policy': '"minute";q=3;w=60' },
    });
  });

  it('refuses with status, fields and body', async () => {
    const { service } = await serviceOf();
    for (let i = 0; i < 3; i += 1) await service.answer('api', callOf('192.0.2.1'));
    expect(await service.answer('api', callOf('192.0.2.1'))).toMatchObject({
      allowed: false,
      headers: { 'Retry-After': '60' },
      refusal: { status: 429, headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' } },
    });
    expect(await service.answer('api', callOf('192.0.2.2'))).toMatchObject({ allowed: true });
  });

  it('has the same fields as names and values in turn, by one policy and by several, allowed and refused', async () => {
    const { service } = await serviceOf();
    for (const policies of [['api'], ['api', 'login'], ['api', 'login'], ['api'], ['api']]) {
      const { headers, rawHeaders } = await service.answerAll(policies, callOf('192.0.2.1'));
      expect(Object.keys(headers)).toContain('RateLimit');
      expect(rawHeaders).toEqual(Object.entries(headers).flat());
    }
  });

  it('answers without a decision for addresses on lists', async () => {
    const { service } = await serviceOf();
    expect(await service.answer('api', callOf('198.51.100.8'))).toEqual({ allowed: true, headers: {}, rawHeaders: [] });
    const denied = await service.answer('api', callOf('198.51.100.7'));
    expect(denied).toMatchObject({ allowed: false, headers: {}, refusal: { status: 403 } });
  });

  it('fails for a call that cannot be counted, and spends nothing', async () => {
    const { service } = await serviceOf();
    const nobody: ServiceCall = { kind: 'consume', method: 'GET', url: '/', headers: {} };
    expect(() => service.answer('api', nobody)).toThrow(expect.objectContaining({ code: 'SLUICE_KEY' }));
  });

  it('decides by several policies as a chain does: the one that refuses gives back what others charged', async () => {
    const { service } = await serviceOf();
    const first = await service.answerAll(['api', 'login'], callOf('192.0.2.1'));
    expect(first).toMatchObject({
      allowed: true,
      decision: { policy: 'login' },
      headers: { 'RateLimit-Policy': '"minute";q=3;w=60,"hour";q=1;w=3600' },
    });
    for (let i = 0; i < 5; i += 1) {
      expect(await service.answerAll(['api', 'login'], callOf('192.0.2.1'))).toMatchObject({
        allowed: false,
        refusal: { status: 429, body: expect.stringContaining('"violated-policies":["hour"]') },
      });
    }
    expect(await service.answer('api', callOf('192.0.2.1'))).toMatchObject({
      headers: { RateLimit: '"minute";r=1;t=60' },
    });
  });

  it('follows the file, and no longer has a policy that the file lacks', async () => {
    const { service, source, live } = await serviceOf();
    await service.answer('login', callOf('192.0.2.1'));
    expect(service.has('login')).toBe(true);
    source.text = TEXT.replace('limit: 3', 'limit: 5').replace(/ {2}login.*\n/, '');
    await expect(live.reload()).resolves.toMatchObject({ outcome: 'rejected' });
    expect(service.has('login')).toBe(true);
    await expect(live.reload({ allowRemovals: true })).resolves.toMatchObject({ outcome: 'applied' });
    expect(service.has('login')).toBe(false);
    expect(() => service.answer('login', callOf('192.0.2.1'))).toThrow('the policy file has no policy "login"');
    expect(await service.answer('api', callOf('192.0.2.1'))).toMatchObject({
      headers: { RateLimit: '"minute";r=4;t=60' },
    });
  });

  it('spends nothing by a chain of policies if a new file removes one of them meanwhile', async () => {
    const clock = new ManualClock();
    const store = new FragileStore(clock);
    const { service, source, live } = await serviceOf(TEXT, clock, store);
    source.text = TEXT.replace(/ {2}login.*\n/, '');
    const reloaded = live.reload({ allowRemovals: true });
    store.before = reloaded;
    const answer = service.answerAll(['api', 'login'], callOf('192.0.2.1'));
    await expect(answer).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'name' });
    await expect(reloaded).resolves.toMatchObject({ outcome: 'applied' });
    expect(await service.answer('api', callOf('192.0.2.1', { kind: 'peek' }))).toMatchObject({
      headers: { RateLimit: '"minute";r=3;t=1' },
    });
  });

  it('spends nothing for a peek, the cost that a call names, and once for each operation', async () => {
    const { service } = await serviceOf();
    const left = async (more: Partial<ServiceCall>): Promise<unknown> =>
      (await service.answer('api', callOf('192.0.2.1', more))).headers.RateLimit;
    for (let i = 0; i < 3; i += 1) expect(await left({ kind: 'peek' })).toBe('"minute";r=3;t=1');
    for (let i = 0; i < 3; i += 1) expect(await left({ cost: 2, operationId: 'one' })).toBe('"minute";r=1;t=60');
    expect(await left({ kind: 'peek' })).toBe('"minute";r=1;t=60');
    await expect(async () => left({ cost: -1 })).rejects.toMatchObject({ code: 'SLUICE_COST' });
    expect(await left({ kind: 'peek' })).toBe('"minute";r=1;t=60');
  });

  it('takes what the file leaves to code from the call', async () => {
    const { service } = await serviceOf(`version: 1
keys: { user: code }
tiers: { free: { minute: { limit: 2, window: 1m } }, pro: { minute: { limit: 9, window: 1m } } }
policies:
  api:
    key: user
    tier: { from: code, default: free }
    cost: { from: code, max: 5 }
    limits: [{ name: minute, tier: true }]
`);
    const remaining = async (ip: string, more: Partial<ServiceCall>): Promise<unknown> => {
      const { decision } = await service.answer('api', callOf(ip, more));
      return decision?.tightest.remaining;
    };
    expect(await remaining('192.0.2.1', { keys: { user: 'ann' }, tier: 'pro', cost: 4 })).toBe(5);
    expect(await remaining('192.0.2.2', { keys: { user: 'ann' }, tier: 'pro' })).toBe(4);
    // A call that gives none of them counts by its address, in the default tier.
    expect(await remaining('192.0.2.1', {})).toBe(1);
    expect(await remaining('192.0.2.1', { keys: {} })).toBe(0);
    // More than the file allows costs what it allows.
    expect(await remaining('192.0.2.3', { keys: { user: 'bob' }, tier: 'pro', cost: 100 })).toBe(4);
  });
});
