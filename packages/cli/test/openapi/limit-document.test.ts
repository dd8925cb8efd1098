import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { compilePolicy, type PolicyFile, readPolicyFile } from '@sluice/config';
import { MemoryStore } from '@sluice/core';
import { rateLimit, respond } from '@sluice/fetch';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { limitDocument } from '../../src/openapi/limit-document.js';
import { PROBLEM_SCHEMA } from '../../src/openapi/shared-components.js';
import { sluice } from '../test-io.js';

const FILE = `version: 1
keys:
  customer: { header: x-api-key }
tiers:
  free: { minute: { limit: 2, window: 1m } }
  pro: { minute: { limit: 600, window: 1m } }
customers:
  acme: { tier: pro }
  hooli: { tier: free }
  initech: { tier: pro, overrides: { minute: { limit: 9000, window: 1m, reason: a secret deal } } }
policies:
  api:
    key: customer
    tier: { from: customers, default: free }
    unknownCustomer: refuse
    denyList: [203.0.113.0/24]
    limits:
      - { name: minute, tier: true }
      - { name: day, limit: 100000, window: { unit: day, timeZone: UTC } }
      - { name: trial, limit: 5, window: 1s, enforce: 0 }
  "export jobs":
    key: address
    onStoreError: deny
    limits:
      - { name: burst, algorithm: token-bucket, capacity: 20, refillRate: 5 }
      - { name: slots, algorithm: concurrency, limit: 3, lease: 30s }
  watched:
    key: address
    enforce: 0
    limits: [{ limit: 5, window: 1s }]
`;

const fileOf = (text: string): PolicyFile => {
  const { file, mistakes } = readPolicyFile(text);
  expect(mistakes ?? []).toEqual([]);
  return file as PolicyFile;
};
const documentOf = (text = FILE, options = {}) =>
  limitDocument(fileOf(text), { nowMs: 0, ...options }) as never as Document;

interface Document {
  readonly components: {
    readonly responses: Readonly<
      Record<string, { description: string; headers?: object; 'x-ratelimit'?: { limits: object[] } }>
    >;
    readonly headers: object;
  };
}

describe('The OpenAPI document of limits', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(documentOf())));
    expect([valid, errors]).toEqual([true, undefined]);
    expect(validator.version).toBe('3.1');
  });

  it('has the refusals of each policy that refuses, under names that components may have', () => {
    expect(Object.keys(documentOf().components.responses)).toEqual([
      'api-429',
      'api-401',
      'export-jobs-429',
      'export-jobs-503',
    ]);
  });

  it('states the numbers of each limit, as text and as data', () => {
    const { responses } = documentOf().components;
    expect(responses['api-429']?.description).toBe(
      [
        'Too many requests for the limits of api:\n',
        '- minute, tier free: 2 requests a minute',
        '- minute, tier pro: 600 requests a minute',
        '- day: 100,000 requests a day (UTC)\n',
        'Come again after `Retry-After` seconds.',
      ].join('\n'),
    );
    expect(responses['api-429']?.['x-ratelimit']?.limits).toMatchObject([
      { name: 'minute', for: 'tier free', quota: 2, unit: 'requests', windowSeconds: 60 },
      { name: 'minute', for: 'tier pro', quota: 600, unit: 'requests', windowSeconds: 60 },
      { name: 'day', quota: 100_000, unit: 'requests', windowSeconds: 86_400 },
    ]);
    expect(responses['export-jobs-429']?.['x-ratelimit']?.limits).toMatchObject([
      { name: 'burst', quota: 20, unit: 'requests', windowSeconds: 4 },
      { name: 'slots', quota: 3, unit: 'concurrent-requests' },
    ]);
  });

  it('gives away neither customers nor addresses nor what is only counted', () => {
    const text = JSON.stringify(documentOf());
    for (const secret of ['acme', 'hooli', 'initech', '9000', 'secret deal', '203.0.113', 'trial', 'watched']) {
      expect(text).not.toContain(secret);
    }
  });

  it('states what was agreed with one customer, if it is for that customer', () => {
    const { responses } = documentOf(FILE, { customer: 'initech', policy: 'api' }).components;
    expect(responses['api-429']?.['x-ratelimit']?.limits[0]).toEqual({
      ...{ name: 'minute', quota: 9000, unit: 'requests', windowSeconds: 60, description: '9,000 requests a minute' },
    });
  });

  it.each(['off', 'shadow'])('has no refusals while enforcement is %s', (enforcement) => {
    expect(documentOf(`${FILE}enforcement: ${enforcement}\n`).components.responses).toEqual({});
  });

  it('gives two policies whose names look alike two components', () => {
    const limits = 'key: address, limits: [{ limit: 1, window: 1s }]';
    const file = `version: 1\npolicies: { "a b": { ${limits} }, "a/b": { ${limits} } }`;
    expect(Object.keys(documentOf(file).components.responses)).toEqual(['a-b-429', 'a-b-2-429']);
  });
});

describe('What the document states', () => {
  const store = new MemoryStore();

  it('is what a client of the policy gets', async () => {
    const limit = rateLimit({ ...compilePolicy<Request>(fileOf(FILE), 'api', { store }), store });
    const ask = async (): Promise<Response> => {
      const request = new Request('http://localhost/', { headers: { 'x-api-key': 'hooli' } });
      return (await limit(request, { address: '198.51.100.7' })) ?? respond(request, () => new Response('ok'));
    };
    const first = await ask();
    const fields = [...first.headers.keys()].filter((name) => /ratelimit/.test(name));
    const documented = Object.keys(documentOf().components.headers).map((name) => name.toLowerCase());
    expect(fields.filter((name) => !documented.includes(name))).toEqual([]);
    expect(first.headers.get('ratelimit-policy')).toContain('"minute";q=2;w=60');
    const valid = new Ajv2020({ formats: { 'uri-reference': true } }).compile(PROBLEM_SCHEMA);
    let refused = first;
    for (let i = 0; i < 2; i += 1) refused = await ask();
    expect(refused.status).toBe(429);
    expect(valid(await refused.json())).toBe(true);
    expect(documented).toEqual(
      expect.arrayContaining([...refused.headers.keys()].filter((n) => /ratelimit|retry/.test(n))),
    );
  });
});

describe('sluice explain --openapi', () => {
  it('prints the document', async () => {
    const { exitCode, out, err } = await sluice(['explain', '-', '--openapi', '--policy', 'api'], { stdin: FILE });
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(documentOf(FILE, { policy: 'api' }))));
  });

  it.each([
    [['--request', 'GET /'], '--openapi describes policies: leave out --request'],
    [['--server', 'http://127.0.0.1:1'], '--openapi reads a file: leave out --server'],
  ])('does not go with %j', async (options, cure) => {
    const { exitCode, err } = await sluice(
      ['explain', ...(options[0] === '--server' ? [] : ['-']), '--openapi', ...options],
      {
        stdin: FILE,
        env: { SLUICE_TOKEN: 'x'.repeat(32) },
      },
    );
    expect(exitCode).toBe(2);
    expect(err).toContain(cure);
  });
});
