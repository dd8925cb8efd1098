import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { rawExchange } from '../raw-exchange.js';
import { type DecisionServer, startDecisionServer } from './decision-server.js';

let server: DecisionServer;

beforeAll(async () => {
  server = await startDecisionServer();
});

afterAll(() => server.close());

// Whatever a test sends, no handler fails, and nobody is charged.
afterEach(async () => {
  expect(server.reported).toEqual([]);
  expect(await server.left()).toBe(100);
});

const address = '192.0.2.1';
const right = { policy: 'api', request: { address } };

/** A decision with one mistake, and the place that the problem names. */
const MISTAKES: readonly [body: unknown, pointer: string, detail: string][] = [
  [null, '', 'must be an object, got null'],
  ['api', '', 'must be an object, got "api"'],
  [5, '', 'must be an object, got 5'],
  [[], '', 'must not be an empty list'],
  [[[right]], '/0', 'must be an object, got an array'],
  [{}, '/policy', 'is required'],
  [{ policy: 5 }, '/policy', 'must be the name of a policy, got 5'],
  [{ ...right, kind: 'spend' }, '/kind', "must be 'consume', 'peek' or 'reserve', got \"spend\""],
  [{ ...right, cost: -1 }, '/cost', 'must be a whole number of at least 0, got -1'],
  [{ ...right, cost: 1.5 }, '/cost', 'must be a whole number of at least 0, got 1.5'],
  [{ ...right, cost: 2 ** 53 }, '/cost', 'must be a whole number of at least 0, got 9007199254740992'],
  [{ ...right, cost: '1' }, '/cost', 'must be a whole number of at least 0, got "1"'],
  [{ ...right, id: '' }, '/id', 'must be 1 to 128 visible ASCII characters'],
  [{ ...right, id: 'a b' }, '/id', 'must be 1 to 128 visible ASCII characters'],
  [{ ...right, id: 'x'.repeat(129) }, '/id', 'must be 1 to 128 visible ASCII characters'],
  [{ ...right, kind: 'peek', id: 'a' }, '/id', 'has no meaning for a peek, which spends nothing'],
  [{ ...right, expires: '1m' }, '/expires', "needs the kind 'reserve'"],
  [{ ...right, kind: 'reserve', expires: '2d' }, '/expires', 'must be a duration from 1 s to 1 day'],
  [{ ...right, kind: 'reserve', expires: 999 }, '/expires', 'must be a duration from 1 s to 1 day'],
  [{ ...right, kind: 'reserve', expires: 'soon' }, '/expires', 'must be a duration from 1 s to 1 day'],
  [{ ...right, tier: '' }, '/tier', 'must be the name of a tier, got ""'],
  [{ ...right, keys: { customer: null } }, '/keys/customer', 'must be text of 1 to 1,024 characters'],
  [{ ...right, keys: { customer: '' } }, '/keys/customer', 'must be text of 1 to 1,024 characters'],
  [{ ...right, keys: { customer: [] } }, '/keys/customer', 'must be text of 1 to 1,024 characters'],
  [{ ...right, keys: { customer: [['a']] } }, '/keys/customer', 'must be text of 1 to 1,024 characters'],
  [{ ...right, keys: { 'cust/omer~': 'a' } }, '/keys/cust~1omer~0', 'is no key that the policy file takes from code'],
  [{ ...right, keys: { toString: 'a' } }, '/keys/toString', 'is no key that the policy file takes from code'],
  [{ ...right, kye: 1 }, '/kye', 'is not known here: the members are policy, kind, request'],
  [{ ...right, toString: 1 }, '/toString', 'is not known here'],
  [{ ...right, constructor: 1 }, '', 'must not have the member constructor'],
  [JSON.parse('{ "policy": "api", "request": { "__proto__": {} } }'), '/request', 'must not have the member __proto__'],
  [{ policy: 'api', request: 'GET /' }, '/request', 'must be an object, got "GET /"'],
  [{ policy: 'api', request: { address: 'localhost' } }, '/request/address', 'must be an IP address, got "localhost"'],
  [{ policy: 'api', request: { address, method: 'get' } }, '/request/method', 'must be a method in upper case'],
  [{ policy: 'api', request: { address, path: 'v1' } }, '/request/path', 'must begin with a slash'],
  [{ policy: 'api', request: { address, path: '/a b' } }, '/request/path', 'must begin with a slash'],
  [{ policy: 'api', request: { address, path: `/${'a'.repeat(8192)}` } }, '/request/path', 'must have at most 8192'],
  [{ policy: 'api', request: [] }, '/request', 'must be an object, got an empty array'],
  [{ ...right, keys: [] }, '/keys', 'must be an object, got an empty array'],
  [{ policy: 'api', request: { address, headers: [] } }, '/request/headers', 'must be an object, got an empty array'],
  [{ policy: 'api', request: { address, headers: { a: 1 } } }, '/request/headers/a', 'must be text of at most 8192'],
  [
    { policy: 'api', request: { address, headers: { 'a b': '1' } } },
    '/request/headers/a b',
    'must be the name of a header',
  ],
  [
    { policy: 'api', request: { address, headers: { A: '1', a: '1' } } },
    '/request/headers/a',
    'is the same field as one',
  ],
  [
    { policy: 'api', request: { address, url: '/' } },
    '/request/url',
    'is not known here: the members are method, path',
  ],
  [{ policy: 'api' }, '/request/address', 'is required: the policy "api" has no other key'],
];

describe('a decision with a mistake', () => {
  it.each(MISTAKES)('%#: is 400, and the problem names its place', async (body, pointer, detail) => {
    const answer = await server.post('/v1/decisions', body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      errors: [{ pointer, detail: expect.stringContaining(detail) }],
    });
  });

  it('lists all mistakes at once', async () => {
    const { body } = await server.post('/v1/decisions', {
      kind: 1,
      cost: -1,
      a: 1,
      b: 2,
      request: { c: 3, address: 'x' },
    });
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
      ['/policy', '/kind', '/cost', '/a', '/b', '/request/c', '/request/address'].sort(),
    );
  });

  it('lists all mistakes of a list, decides nothing of it, and names the places', async () => {
    const { status, body } = await server.post('/v1/decisions', [
      right,
      { ...right, cost: -1 },
      right,
      { ...right, id: 7 },
    ]);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: '/1/cost' }, { pointer: '/3/id' }]);
  });

  it.each([
    ['short', 'a'],
    ['long', 'a'.repeat(500)],
    ['escaped', '\u0001'.repeat(500)],
    ['escaped twice', '€/~"'.repeat(200)],
  ])('is answered with as many mistakes as fit into 1 KB, however many there are: a %s member', async (_, name) => {
    const { status, body } = await server.post('/v1/decisions', Array(100).fill({ [name]: 1, b: 1, c: 1, d: 1 }));
    expect(status).toBe(400);
    expect(body.errors.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(800);
  });

  it('is one mistake for an object of very many members', async () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`unknown-${i}`, '1']));
    const { body } = await server.post('/v1/decisions', [
      { ...right, ...many },
      { ...right, request: many },
      { ...right, keys: many },
      { ...right, request: { address, headers: many } },
    ]);
    const detail = 'must have at most 100 members';
    expect(body.errors).toEqual(
      ['/0', '/1/request', '/2/keys', '/3/request/headers'].map((pointer) => ({ pointer, detail })),
    );
  });

  it('of a secret value does not repeat it', async () => {
    const request = { address, headers: { 'x-api-key': ['s3cret', 5] } };
    const { body } = await server.post('/v1/decisions', {
      policy: 'api',
      request,
      keys: { customer: { key: 's3cret' } },
    });
    expect(body.errors).toHaveLength(2);
    expect(JSON.stringify(body)).not.toContain('s3cret');
  });
});

describe('a request for decisions that is wrong as a whole', () => {
  it('is 404 for a policy that the file does not have', async () => {
    const { status, body } = await server.post('/v1/decisions', { ...right, policy: 'apo' });
    expect([status, body.errors]).toEqual([404, [{ pointer: '/policy', detail: 'is no policy of the file' }]]);
  });

  it('is 413 for more than a thousand decisions', async () => {
    const { status, body } = await server.post('/v1/decisions', Array(1001).fill(right));
    expect([status, body.errors]).toMatchObject([413, [{ pointer: '' }]]);
  });

  it('is 413 for a body of more than a mebibyte', async () => {
    const { status, body } = await server.post('/v1/decisions', { ...right, tier: 'x'.repeat(1_048_576) });
    expect([status, body.errors]).toMatchObject([413, [{ pointer: '' }]]);
  });

  it.each([
    ['{"policy":"api"', 'must be JSON'],
    ['', 'must be an object, got undefined'],
    ['{"policy":"\xff"}', 'must be text in UTF-8'],
    ['[1e999]', 'must be an object, got Infinity'],
    ['['.repeat(100_000), 'must be JSON'],
  ])('is 400 for the body %j', async (text, detail) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await server.send('/v1/decisions', { method: 'POST', headers, body: Buffer.from(text, 'latin1') });
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining(detail)]);
  });

  it.each([
    [{ 'Content-Type': 'text/plain' }, 'Content-Type'],
    [{ 'Content-Type': 'application/jsonp' }, 'Content-Type'],
    [{ 'Content-Encoding': 'gzip' }, 'Content-Encoding'],
  ])('is 415 for %j', async (headers, header) => {
    const { status, body, headers: fields } = await server.post('/v1/decisions', right, headers);
    expect([status, body.errors]).toMatchObject([415, [{ header }]]);
    expect(fields.get('accept-post')).toBe('application/json');
  });

  it('takes a charset, which JSON does not need', async () => {
    const type = { 'Content-Type': 'Application/JSON; charset=utf-8' };
    expect((await server.post('/v1/decisions', { ...right, kind: 'peek' }, type)).status).toBe(200);
  });

  it('is 405 for another method, and says which one is right', async () => {
    const { status, headers } = await server.send('/v1/decisions', { method: 'PUT' });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each(['status=200', 'status=', 'stauts=429', 'status=429&a=1'])('is 400 for the query %s', async (query) => {
    const { status, body } = await server.post(`/v1/decisions?${query}`, right);
    expect([status, body.errors]).toMatchObject([400, [{ parameter: expect.any(String) }]]);
  });

  it('is 400 for a list that asks for the status of one decision', async () => {
    const { status, body } = await server.post('/v1/decisions?status=429', [right]);
    expect([status, body.errors]).toMatchObject([400, [{ parameter: 'status' }]]);
  });

  it('is 400 for a body that ends before its length', async () => {
    const head = 'POST /v1/decisions HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
    const text = await rawExchange(
      Number(new URL(server.url).port),
      `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });
});
