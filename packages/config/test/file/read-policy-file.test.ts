import { describe, expect, it } from '@jest/globals';
import { mistakeText, type PolicyFile, readPolicyFile } from '@sluice/config';
import { fixedWindow, slidingWindow, tokenBucket } from '@sluice/core';

const WHOLE = `
version: 1
enforcement: shadow
accept: "17"
keys:
  customer: { header: x-api-key }
  client: { ip: { ipv6Subnet: 64 } }
  user: code
tiers:
  free: { minute: { limit: 60, window: 1m }, day: { limit: 1000, window: { unit: day, timeZone: UTC } } }
  pro:  { minute: { limit: 600, window: 1m }, day: unlimited }
customers:
  acme:    { tier: pro, overrides: { minute: { limit: 1200, until: 2026-12-01T00:00:00Z, reason: launch week } } }
  mallory: { block: true, reason: scraping, until: 2026-12-01T00:00:00+01:00 }
  007:     { tier: free }
policies:
  api:
    match: { path: /v1/**, methods: [GET, POST] }
    key: customer
    unknownCustomer: refuse
    tier: { from: customers, default: free }
    limits:
      - { name: minute, tier: true }
      - { name: day, tier: true, enforce: mark }
      - { name: burst, key: [client, user], algorithm: token-bucket, capacity: 20, refillRate: 5, cost: 2 }
    cost: { header: x-cost, max: 100, trustedFrom: [10.0.0.0/8] }
    onStoreError: deny
    rollout:
      - { from: 2026-11-23T09:00:00Z, enforce: 0 }
      - { after: 1d, enforce: 5% }
      - { after: 6h, enforce: 1 }
    brake: { refused: 5%, over: 5m }
`;

function fileOf(text: string): PolicyFile {
  const { file, mistakes = [] } = readPolicyFile(text);
  expect(mistakes.map(mistakeText)).toEqual([]);
  return file as PolicyFile;
}

describe('readPolicyFile', () => {
  it('reads every part of a file', () => {
    const { keys, tiers, customers, policies, ...rest } = fileOf(WHOLE);
    expect(rest).toEqual({ enforcement: 'shadow', accept: '17' });
    expect(Object.fromEntries(keys)).toEqual({
      address: { from: 'ip', ipv6Subnet: 56 },
      everyone: { from: 'everyone' },
      customer: { from: 'header', header: 'x-api-key' },
      client: { from: 'ip', ipv6Subnet: 64 },
      user: { from: 'code' },
    });
    expect(tiers.get('free')?.get('minute')).toEqual(slidingWindow({ limit: 60, window: '1m' }));
    expect(tiers.get('free')?.get('day')).toEqual(
      fixedWindow({ limit: 1000, window: { unit: 'day', timeZone: 'UTC' } }),
    );
    expect(tiers.get('pro')?.get('day')?.algorithm).toBe('unlimited');
    expect(customers.get('acme')).toEqual({
      tier: 'pro',
      overrides: new Map([
        [
          'minute',
          {
            limit: slidingWindow({ limit: 1200, window: '1m' }),
            untilMs: Date.UTC(2026, 11, 1),
            reason: 'launch week',
          },
        ],
      ]),
      block: undefined,
    });
    expect(customers.get('mallory')?.block).toEqual({ reason: 'scraping', untilMs: Date.UTC(2026, 10, 30, 23) });
    expect(customers.get('007')?.tier).toBe('free');
    const api = policies.get('api');
    expect(api).toMatchObject({
      name: 'api',
      match: { path: ['/v1/**'], methods: ['GET', 'POST'] },
      key: ['customer'],
      unknownCustomer: 'refuse',
      tier: { from: 'customers', default: 'free' },
      cost: { from: 'header', header: 'x-cost', min: 1, default: 1, max: 100, trustedFrom: ['10.0.0.0/8'] },
      onStoreError: 'deny',
      brake: { refused: 0.05, overMs: 300_000 },
    });
    expect(api?.rollout).toEqual([
      { fromMs: Date.UTC(2026, 10, 23, 9), enforce: 0 },
      { fromMs: Date.UTC(2026, 10, 24, 9), enforce: 0.05 },
      { fromMs: Date.UTC(2026, 10, 24, 15), enforce: 1 },
    ]);
    expect(api?.limits).toMatchObject([
      { name: 'minute', tiered: true, limit: undefined, enforce: undefined },
      { name: 'day', tiered: true, enforce: 'mark' },
      {
        name: 'burst',
        tiered: false,
        limit: tokenBucket({ capacity: 20, refillRate: 5 }),
        key: ['client', 'user'],
        cost: { from: 'constant', units: 2 },
      },
    ]);
  });
});

describe('a policy of a file that does not say what happens if the store fails', () => {
  it.each([
    ['', 'local'],
    [', quotaUnit: tokens', 'local'],
    [', quotaUnit: micro-dollars', 'deny'],
  ])('with a limit of { limit: 5, window: 1d%s } has onStoreError %s', (more, onStoreError) => {
    const limits = `[{ limit: 9, window: 1m }, { name: day, limit: 5, window: 1d${more} }]`;
    const file = fileOf(`version: 1\npolicies: { api: { limits: ${limits} } }`);
    expect(file.policies.get('api')?.onStoreError).toBe(onStoreError);
  });
});
