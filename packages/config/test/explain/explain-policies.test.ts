import { describe, expect, it } from '@jest/globals';
import { createLimiter, type Decision, MemoryStore } from '@sluice/core';
import { HttpRefusal, type HttpRequest } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';
import fc from 'fast-check';
import { compilePolicy } from '../../src/compile/compile-policy.js';
import { type ExplainOptions, explainPolicies } from '../../src/explain/explain-policies.js';
import { lineFinder } from '../../src/explain/line-finder.js';
import { hashedCustomer } from '../../src/file/customer-name.js';
import type { PolicyFile } from '../../src/file/policy-file.js';
import { readPolicyFile } from '../../src/file/read-policy-file.js';

const NOW_MS = Date.UTC(2026, 10, 24, 10);

const FILE = `version: 1
enforcement: on
keys:
  customer: { header: x-api-key }
  client: { ip: { ipv6Subnet: 64 } }
tiers:
  free:
    minute: { limit: 60, window: 1m }
    day: { algorithm: fixed-window, limit: 1000, window: { unit: day, timeZone: UTC } }
  pro:
    minute: { limit: 600, window: 1m }
    day: { algorithm: fixed-window, limit: 100000, window: { unit: day, timeZone: UTC } }
customers:
  acme:
    tier: pro
    overrides:
      minute: { limit: 1200, until: 2026-12-01T00:00:00Z, reason: launch week }
  mallory:
    block: true
    reason: scraping
  ${hashedCustomer('secret')}: { tier: pro }
policies:
  api:
    match: { path: [/v1/**, /v2/**], methods: [GET, POST] }
    key: customer
    denyList: [192.0.2.0/24]
    tier: { from: customers, default: free }
    limits:
      - { name: minute, tier: true }
      - { name: day, tier: true }
      - { name: burst, key: client, algorithm: token-bucket, capacity: 20, refillRate: 5 }
    cost: { header: x-cost, trustedFrom: [10.0.0.0/8], default: 1, max: 10 }
    rollout:
      - { from: 2026-11-23T09:00:00Z, enforce: 0 }
      - { after: 1d, enforce: 0.05 }
      - { after: 6h, enforce: 0.5 }
    brake: { refused: 5%, over: 5m }
`;

function read(text: string): PolicyFile {
  const { file, mistakes } = readPolicyFile(text);
  expect(mistakes).toBeUndefined();
  return file as PolicyFile;
}

const lineOf = lineFinder(FILE);

/** The sentences about the first policy, each with the line that decides. */
function explained(options: Partial<ExplainOptions> = {}, text = FILE): string[] {
  const [api] = explainPolicies(read(text), { nowMs: NOW_MS, ...options });
  return [...(api?.sentences ?? []), ...(api?.limits ?? [])].map((one) => `${lineOf(one.path)} ${one.text}`);
}

const request = (headers: Record<string, string>, ip = '203.0.113.7'): HttpRequest => ({
  method: 'GET',
  url: '/v1/items',
  headers,
  ip,
});

describe('the explanation of a policy', () => {
  it('says who counts how, how far it is enforced, what a request costs, and what each tier may do', () => {
    expect(explained()).toEqual([
      '24 It is for GET and POST requests of /v1/** or /v2/**.',
      '26 Requests from 192.0.2.0/24 are refused with 403.',
      '25 It counts by customer (the header x-api-key).',
      '23 A key that no customer has counts by address.',
      '35 It is enforced for 5 % of keys; the others are only counted. From 24 November 2026, 15:00 UTC on: 50 %.',
      '37 If at least 5 % of keys are refused over 5 minutes, it only counts from then on.',
      '32 A request costs 1 to 10 units, as the header x-cost says if the sender is in 10.0.0.0/8, else 1.',
      '23 If the store fails, each process counts by itself, with a share of the limit.',
      '8 minute, tier free: 60 units a minute, never more than 60 in any minute. It is the default tier.',
      '11 minute, tier pro: 600 units a minute, never more than 600 in any minute.',
      '17 minute, customer acme: 1,200 units a minute, never more than 1,200 in any minute. It holds until 1 December 2026, 00:00 UTC (launch week).',
      '9 day, tier free: 1,000 units a day (UTC), never more than 2,000 in any 24 hours. It is the default tier.',
      '12 day, tier pro: 100,000 units a day (UTC), never more than 200,000 in any 24 hours.',
      '31 burst by client, the address (IPv6 by networks of /64): bursts of 20 units, then 5 a second, never more than 320 in any minute.',
    ]);
  });

  it.each<[what: string, Partial<ExplainOptions>, said: readonly string[]]>([
    [
      'a customer with an override',
      { customer: 'acme' },
      [
        '14 The sender is customer acme.',
        '15 Customer acme has tier pro.',
        '17 minute, customer acme: 1,200 units a minute, never more than 1,200 in any minute. It holds until 1 December 2026, 00:00 UTC (launch week).',
        '12 day, tier pro: 100,000 units a day (UTC), never more than 200,000 in any 24 hours.',
      ],
    ],
    [
      'a customer whose override has ended',
      { customer: 'acme', nowMs: Date.UTC(2026, 11, 1) },
      ['11 minute, tier pro: 600 units a minute, never more than 600 in any minute.'],
    ],
    [
      'a blocked customer',
      { customer: 'mallory' },
      ['19 Customer mallory is blocked (scraping): every request is refused with 403.'],
    ],
    [
      'a customer listed by its hash',
      { request: request({ 'x-api-key': 'secret' }) },
      [`21 Customer ${hashedCustomer('secret')} has tier pro.`],
    ],
    [
      'a request of nobody',
      { request: request({ 'x-api-key': 'bob' }) },
      [
        '23 The file does not list this customer, so the request counts by address.',
        '27 The tier is free, the default.',
        '8 minute, tier free: 60 units a minute, never more than 60 in any minute.',
      ],
    ],
    ['a request without a key', { request: request({}) }, ['23 The request has no customer, so it counts by address.']],
    ['a request with a cost', { request: request({ 'x-cost': '7' }, '10.1.2.3') }, ['32 This request costs 7 units.']],
    [
      'a request with a cost that is not trusted',
      { request: request({ 'x-cost': '0' }) },
      ['32 This request costs 1 unit.'],
    ],
  ])('says what holds for %s', (_, options, said) => {
    const sentences = explained(options);
    for (const one of said) expect(sentences).toContain(one);
  });

  it('says nothing of limits of which a sender has no use', () => {
    const { limits, sentences } = explainPolicies(read(FILE), { nowMs: NOW_MS, customer: 'mallory' })[0] ?? {};
    expect(limits).toEqual([]);
    expect(sentences?.map(({ text }) => text)).not.toContain(
      'If the store fails, each process counts by itself, with a share of the limit.',
    );
  });

  it.each([
    ['enforcement: on', 'enforcement: off', '2 Enforcement is off: nothing is counted, and nothing is refused.'],
    [
      'enforcement: on',
      'enforcement: shadow',
      '2 Enforcement is shadow: requests are counted, and none is refused. With on, it is as follows.',
    ],
    [
      '    denyList:',
      '    unknownCustomer: refuse\n    denyList:',
      '26 A key that no customer has is refused with 401.',
    ],
    ['denyList: [192.0.2.0/24]', 'onStoreError: deny', '26 If the store fails, every request is refused.'],
    ['denyList: [192.0.2.0/24]', 'allowList: [192.0.2.1]', '26 Requests from 192.0.2.1 are not counted.'],
    [
      'key: customer',
      'key: [customer, client]',
      '25 It counts by customer (the header x-api-key) and client, the address (IPv6 by networks of /64).',
    ],
  ])('follows the file: %s becomes %s', (from, to, sentence) => {
    const changed = FILE.replace(from, to);
    const [api] = explainPolicies(read(changed), { nowMs: NOW_MS });
    const finder = lineFinder(changed);
    expect(api?.sentences.map((one) => `${finder(one.path)} ${one.text}`)).toContain(sentence);
  });

  it('is about the policies that a request matches', () => {
    const options = { nowMs: NOW_MS, request: { ...request({}), url: '/v3/items' } };
    expect(explainPolicies(read(FILE), options)).toEqual([]);
    expect(explainPolicies(read(FILE), { ...options, request: request({}) })).toHaveLength(1);
  });

  it('refuses the name of a policy that the file does not have', () => {
    expect(() => explainPolicies(read(FILE), { nowMs: NOW_MS, policy: 'apii' })).toThrow('it has "api"');
  });

  it('lists a few overrides of many', () => {
    const many = Array.from({ length: 100 }, (_, i) => `  c${i}: { overrides: { minute: { limit: ${i + 1} } } }`).join(
      '\n',
    );
    const text = FILE.replace('  mallory:', `${many}\n  mallory:`);
    const [api] = explainPolicies(read(text), { nowMs: NOW_MS });
    expect(api?.limits.filter(({ group }) => group.startsWith('customer')).length).toBe(20);
  });
});

/** What a limiter with this file says to a request. */
function decided(file: PolicyFile, nowMs: number, one: HttpRequest): Decision | number {
  const store = new MemoryStore({ clock: new ManualClock(nowMs) });
  try {
    return createLimiter<object, false>(compilePolicy(file, 'api', { store })).peek(one);
  } catch (error) {
    if (error instanceof HttpRefusal) return error.refusal.status;
    throw error;
  }
}

const files = new Map<string, PolicyFile>();

function fileWith(unknownCustomer: string, enforcement: string): PolicyFile {
  const name = `${unknownCustomer} ${enforcement}`;
  const text = FILE.replace('    key: customer', `    unknownCustomer: ${unknownCustomer}\n    key: customer`);
  const file = files.get(name) ?? read(text.replace('enforcement: on', `enforcement: ${enforcement}`));
  files.set(name, file);
  return file;
}

describe('what explain says of a request', () => {
  it('says the default tier for a header with a tier that the file does not have', () => {
    const file = read(`version: 1
tiers: { free: { minute: { limit: 3, window: 1m } }, pro: { minute: { limit: 9, window: 1m } } }
policies:
  api:
    tier: { header: x-plan, trustedFrom: [10.0.0.0/8], default: free }
    limits: [{ name: minute, tier: true }]
`);
    const said = (plan: string) =>
      explainPolicies(file, { nowMs: NOW_MS, request: request({ 'x-plan': plan }, '10.0.0.1') })[0]?.sentences.map(
        ({ text }) => text,
      );
    expect(said('platinum')).toContain('The tier is free, the default.');
    expect(said('pro')).toContain('The header x-plan says tier pro.');
  });

  it('is what the limiter decides it by', () => {
    const cases = fc.record({
      nowMs: fc.constantFrom(NOW_MS, Date.UTC(2026, 11, 2)),
      key: fc.constantFrom(undefined, 'acme', 'mallory', 'secret', 'bob', hashedCustomer('secret')),
      cost: fc.constantFrom(undefined, '0', '3', '70', 'x'),
      ip: fc.constantFrom('203.0.113.7', '10.1.2.3'),
      unknownCustomer: fc.constantFrom('address', 'refuse'),
      enforcement: fc.constantFrom('on', 'shadow'),
    });
    fc.assert(
      fc.property(cases, ({ nowMs, key, cost, ip, unknownCustomer, enforcement }) => {
        const file = fileWith(unknownCustomer, enforcement);
        const one = request({ ...(key && { 'x-api-key': key }), ...(cost && { 'x-cost': cost }) }, ip);
        const [api] = explainPolicies(file, { nowMs, request: one });
        const decision = decided(file, nowMs, one);
        const texts = (api?.sentences ?? []).map(({ text }) => text).join(' ');
        if (typeof decision === 'number') {
          expect(texts).toContain(`is refused with ${decision}.`);
          expect(api?.limits).toEqual([]);
          return;
        }
        expect(texts).not.toMatch(/every request is refused with/);
        const verdicts = decision.verdicts.map(({ name, limit }) => [name, limit]);
        expect(api?.limits.map(({ name, limit }) => [name, limit])).toEqual(verdicts);
        expect(texts).toContain(`This request costs ${decision.verdicts[0]?.cost} unit`);
      }),
      { numRuns: Number(process.env.SLUICE_RUNS ?? 80) },
    );
  });
});
