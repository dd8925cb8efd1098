import { describe, expect, it } from '@jest/globals';
import { mistakeText, readPolicyFile } from '@sluice/config';

const warningsOf = (text: string) => readPolicyFile(text, { origin: 'sluice.yaml' }).warnings?.map(mistakeText);

const rule = (ms: number, what = 'window'): string =>
  `is a ${what} of ${ms} ms, because a bare number is in milliseconds: write ${ms}s for seconds, or ${ms}ms if you mean it (SLUICE_WINDOW_SHORT)`;

describe('a time that is a bare number', () => {
  it('is warned about below 1,000, wherever the file has one', () => {
    const text = `version: 1
keys: { user: code }
tiers: { free: { minute: { limit: 5, window: 60 } } }
customers: { acme: { overrides: { minute: { limit: 9, window: 999 } } } }
policies:
  api:
    key: user
    tier: { from: customers, default: free }
    limits:
      - { name: minute, tier: true }
      - { name: hour, limit: 100, window: 3600 }
      - { name: second, limit: 5, window: 1 }
      - { name: split, variants: { a: { share: 50%, limit: 5, window: 10 }, b: { share: 50%, limit: 5, window: 10s } } }
`;
    expect(warningsOf(text)).toEqual([
      `sluice.yaml:3:46 tiers.free.minute.window ${rule(60)}`,
      `sluice.yaml:4:63 customers.acme.overrides.minute.window ${rule(999)}`,
      `sluice.yaml:12:43 policies.api.limits[2].window ${rule(1)}`,
      `sluice.yaml:13:71 policies.api.limits[3].variants.a.window ${rule(10)}`,
    ]);
  });

  it('is not warned about once for each customer whose limit only has another number', () => {
    const text = `version: 1
keys: { user: code }
customers: { acme: { overrides: { minute: { limit: 9 } } }, bolt: { overrides: { minute: { limit: 8 } } } }
policies:
  api: { key: user, tier: { from: customers }, limits: [{ name: minute, limit: 5, window: 60 }] }
`;
    expect(warningsOf(text)).toEqual([`sluice.yaml:5:91 policies.api.limits[0].window ${rule(60)}`]);
  });

  it('is warned about as the length of a block, also of the first of several', () => {
    const text = `version: 1
policies:
  login:
    limits:
      - { name: fixed, limit: 5, window: 1m, countRejected: true, blockDuration: 60 }
      - { name: growing, limit: 5, window: 1m, countRejected: true, blockDuration: { first: 30, max: 1h } }
      - { name: right, limit: 5, window: 1m, countRejected: true, blockDuration: { first: 30s, max: 1h } }
`;
    expect(warningsOf(text)).toEqual([
      `sluice.yaml:5:82 policies.login.limits[0].blockDuration ${rule(60, 'block')}`,
      `sluice.yaml:6:93 policies.login.limits[1].blockDuration.first ${rule(30, 'block')}`,
    ]);
  });

  it('stands among other warnings in the order of the text', () => {
    const text = `version: 1
keys: { customer: { header: x-api-key } }
policies:
  first: { limits: [{ limit: 5, window: 60 }] }
  second: { key: customer, limits: [{ limit: 5, window: 60 }] }
`;
    const { warnings = [] } = readPolicyFile(text);
    expect(warnings.map(({ line, code }) => [line, code])).toEqual([
      [4, 'SLUICE_WINDOW_SHORT'],
      [5, 'SLUICE_CHOSEN_KEY'],
      [5, 'SLUICE_WINDOW_SHORT'],
    ]);
  });
});
