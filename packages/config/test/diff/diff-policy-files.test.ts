import { describe, expect, it } from '@jest/globals';
import { diffPolicyFiles } from '../../src/diff/diff-policy-files.js';
import type { PolicyFile } from '../../src/file/policy-file.js';
import { readPolicyFile } from '../../src/file/read-policy-file.js';

const FILE = `
version: 1
keys: { customer: { header: x-api-key }, client: { ip: { ipv6Subnet: 56 } } }
tiers:
  free: { minute: { limit: 60, window: 1m } }
  pro: { minute: { limit: 600, window: 1m } }
customers:
  acme: { tier: pro, overrides: { minute: { limit: 1200, until: 2026-12-01T00:00:00Z, reason: launch week } } }
  mallory: { block: true, reason: scraping, until: 2026-12-01T00:00:00Z }
policies:
  api:
    match: { path: /v1/**, methods: [GET, POST] }
    key: customer
    tier: { from: customers, default: free }
    limits:
      - { name: minute, tier: true }
      - { name: burst, key: client, algorithm: token-bucket, capacity: 20, refillRate: 5 }
  login:
    limits: [{ name: tries, limit: 5, window: 15m }]
`;

function read(text: string): PolicyFile {
  const { file, mistakes } = readPolicyFile(text);
  expect(mistakes).toBeUndefined();
  return file as PolicyFile;
}

/** The differences after a part of the file was written otherwise. */
function changes(from: string, to: string) {
  expect(FILE).toContain(from);
  return diffPolicyFiles(read(FILE), read(FILE.replace(from, to)));
}

describe('the differences of two policy files', () => {
  it('are none for the same file, in other words or with another accept', () => {
    expect(diffPolicyFiles(read(FILE), read(FILE))).toEqual([]);
    expect(changes('window: 15m', 'window: 900s')).toEqual([]);
    expect(changes('version: 1', 'version: 1\naccept: abc')).toEqual([]);
  });

  it.each<[from: string, to: string, sentence: string, forgets?: string]>([
    [
      'version: 1',
      'version: 1\nenforcement: off',
      'Enforcement is off instead of on: no request is counted, and none is refused.',
    ],
    ['limit: 60,', 'limit: 120,', 'Tier free, limit minute: limit is 120 instead of 60.'],
    [
      'limit: 60, window: 1m',
      'limit: 60, window: 1h',
      'Tier free, limit minute: window is 1 hour instead of 1 minute.',
    ],
    [
      'limit: 5, window: 15m',
      'algorithm: fixed-window, limit: 5, window: 15m',
      'Policy login, limit tries: 5 units in 15 minutes (fixed-window) instead of 5 units in 15 minutes (sliding-window).',
      'all that sliding-window has counted',
    ],
    [
      'ipv6Subnet: 56',
      'ipv6Subnet: 64',
      'Key client: ip.ipv6Subnet is 64 instead of 56.',
      'all that was counted by this key',
    ],
    [
      'header: x-api-key',
      'header: x-token',
      'Key customer: header is x-token instead of x-api-key.',
      'all that was counted by this key',
    ],
    [
      'name: tries',
      'name: attempts',
      'Policy login: limit tries is removed.',
      'all that was spent on it, also if it has another name now',
    ],
    [
      '  login:',
      '  signin:',
      'Policy login is removed: it limits nobody any more.',
      'all that was spent on it, also if it has another name now',
    ],
    [
      'name: burst, key: client',
      'name: burst',
      'Policy api, limit burst: key is not set any more; it was client.',
      'all that was counted by the old key',
    ],
    ['capacity: 20', 'capacity: 40', 'Policy api, limit burst: capacity is 40 instead of 20.'],
    ['acme: { tier: pro', 'acme: { tier: free', 'Customer acme: tier is free instead of pro.'],
    ['limit: 1200', 'limit: 2400', 'Customer acme, limit minute: limit is 2,400 instead of 1,200.'],
    [
      ', overrides: { minute: { limit: 1200, until: 2026-12-01T00:00:00Z, reason: launch week } }',
      '',
      'Customer acme, limit minute: the override is removed; it was 1,200 units a minute until 1 December 2026, 00:00 UTC (launch week).',
    ],
    [
      '  mallory: { block: true, reason: scraping, until: 2026-12-01T00:00:00Z }\n',
      '',
      'Customer mallory is removed, and not blocked any more.',
      'all that this customer has spent: a key that is not listed counts by its address',
    ],
    [
      'reason: scraping, until: 2026-12-01T00:00:00Z',
      'reason: scraping',
      'Customer mallory, block: until is not set any more; it was 1 December 2026, 00:00 UTC.',
    ],
    ['methods: [GET, POST]', 'methods: [GET]', 'Policy api: match.methods is GET instead of GET, POST.'],
    [
      '    key: customer',
      '    key: [customer, client]',
      'Policy api: key is customer, client instead of customer.',
      'all that was counted by the old key',
    ],
    [
      '    key: customer',
      '    unknownCustomer: refuse\n    key: customer',
      'Policy api: unknownCustomer is refuse instead of address.',
      'all that was spent by keys that no customer has',
    ],
    [
      '    key: customer',
      '    onStoreError: deny\n    key: customer',
      'Policy api: onStoreError is deny instead of local.',
    ],
    ['    key: customer', '    cost: 5\n    key: customer', 'Policy api: cost is 5 instead of 1.'],
    [
      '    key: customer',
      '    rollout: [{ from: 2026-11-23T09:00:00Z, enforce: 0 }, { after: 1d, enforce: 0.05 }]\n    key: customer',
      'Policy api: rollout is now 0 % from 23 November 2026, 09:00 UTC, 5 % from 24 November 2026, 09:00 UTC; it was not set.',
    ],
    [
      '    key: customer',
      '    denyList: [192.0.2.0/24]\n    key: customer',
      'Policy api: denyList is now 192.0.2.0/24; it was not set.',
    ],
    [
      'limit: 5, window: 15m',
      'variants: { tight: { share: 50%, limit: 5, window: 15m }, loose: { share: 50%, limit: 9, window: 15m } }',
      'Policy login, limit tries: algorithm is not set any more; it was sliding-window.',
      'all that was spent by keys that another variant has now',
    ],
  ])('say it in words: %s becomes %s', (from, to, sentence, ...[forgets]) => {
    const [first] = changes(from, to);
    expect(first).toMatchObject({ sentence, forgets });
    expect(Object.keys(first ?? {}).sort()).toEqual(['factor', 'forgets', 'from', 'path', 'sentence', 'to']);
  });

  it('have the values as the file states them, and how many times larger they became', () => {
    expect(changes('limit: 60, window: 1m', 'limit: 30, window: 1h')).toMatchObject([
      { path: 'tiers.free.minute.limit', from: 60, to: 30, factor: 0.5 },
      { path: 'tiers.free.minute.window', from: '1m', to: '1h', factor: 60 },
    ]);
    expect(changes('limit: 60,', 'limit: 0,')).toMatchObject([{ from: 60, to: 0, factor: 0 }]);
    expect(changes('default: free', 'default: pro')).toMatchObject([
      { path: 'policies.api.tier.default', from: 'free', to: 'pro', factor: undefined },
    ]);
  });

  it('name limits, and do not number them', () => {
    const moved = changes(
      'limits: [{ name: tries, limit: 5, window: 15m }]',
      'limits: [{ name: day, limit: 9, window: 1d }, { name: tries, limit: 6, window: 15m }]',
    );
    expect(moved.map(({ path }) => path)).toEqual(['policies.login.limits.tries.limit', 'policies.login.limits.day']);
  });

  it('tell that a customer counts anew by another algorithm of the tier', () => {
    const old = FILE.replace('pro: { minute: {', 'pro: { minute: { algorithm: fixed-window,');
    const next = old.replace('acme: { tier: pro', 'acme: { tier: free');
    expect(diffPolicyFiles(read(old), read(next))).toMatchObject([
      {
        sentence: 'Customer acme: tier is free instead of pro.',
        forgets: 'all that fixed-window has counted for this customer by minute',
      },
      {
        sentence:
          'Customer acme, limit minute: 1,200 units a minute (sliding-window) instead of 1,200 units a minute (fixed-window).',
      },
    ]);
  });

  it('are found among 100,000 customers', () => {
    const customers = Array.from(
      { length: 100_000 },
      (_, i) => [`c${i}`, { tier: 'pro', overrides: new Map(), block: undefined }] as const,
    );
    const file = read(FILE);
    const old: PolicyFile = { ...file, customers: new Map(customers) };
    const next: PolicyFile = {
      ...file,
      customers: new Map([...customers, ['c5', { tier: 'free', overrides: new Map(), block: undefined }]]),
    };
    expect(diffPolicyFiles(old, next).map(({ path }) => path)).toEqual(['customers.c5.tier']);
  });
});
