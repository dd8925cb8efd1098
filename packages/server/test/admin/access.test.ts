import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_VERBS } from '../../src/admin/admin-verbs.js';
import { READ_TOKEN, RunningAdmin, WRITE_TOKEN } from './running-admin.js';

let admin: RunningAdmin;

beforeAll(async () => {
  admin = await RunningAdmin.start({ hosts: ['sluice-1.internal'] });
});

afterAll(() => admin.close());

/** Sends a request with fields that `fetch` sets by itself. */
function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(admin.url + path, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('a token', () => {
  it.each(ADMIN_VERBS.map(({ name, access }) => [name, access] as const))(
    'is needed for %s, on loopback too',
    async (name, access) => {
      const { status, headers, body } = await admin.post(name, {}, '');
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer realm="sluice"');
      expect(body).toMatchObject({ status: 401, detail: expect.stringContaining('Authorization') });
      expect((await admin.post(name, {}, 'somebody-guesses-this')).status).toBe(401);
      const { status: ofReader } = await admin.post(name, {}, READ_TOKEN);
      if (access === 'write') expect(ofReader).toBe(403);
      else expect([200, 400]).toContain(ofReader);
    },
  );

  it.each(['/metrics', '/readyz?verbose'])('is needed for %s, and one that reads is enough', async (path) => {
    expect((await admin.send(path)).status).toBe(401);
    const headers = { authorization: `Bearer ${READ_TOKEN}` };
    expect((await admin.send(path, { headers })).status).toBe(200);
  });

  it.each(['/livez', '/readyz'])('is not needed for %s', async (path) => {
    expect((await admin.send(path)).status).toBe(200);
  });

  it.each([
    ['in another scheme', `Basic ${WRITE_TOKEN}`],
    ['with a space', `Bearer ${WRITE_TOKEN} x`],
    ['empty', 'Bearer '],
    ['very long', `Bearer ${'x'.repeat(10_000)}`],
  ])('%s is no token', async (_, authorization) => {
    const { status } = await admin.send('/v1/admin/status', { method: 'POST', headers: { authorization } });
    expect(status).toBe(401);
  });

  it('in the address is not read', async () => {
    const { status } = await admin.send(`/metrics?token=${WRITE_TOKEN}`);
    expect(status).toBe(401);
  });

  it('that reads does not reveal keys', async () => {
    expect((await admin.post('top', { reveal: true }, READ_TOKEN)).status).toBe(403);
    expect((await admin.post('top', { reveal: true }, WRITE_TOKEN)).status).toBe(200);
  });
});

describe('a browser', () => {
  const authorization = `Bearer ${READ_TOKEN}`;

  it.each([
    ['localhost:8082', 200],
    ['127.0.0.1:8082', 200],
    ['[::1]:8082', 200],
    ['10.1.2.3', 200],
    ['SLUICE-1.internal:8082', 200],
    ['evil.example:8082', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.1.evil.example', 421],
  ])('that resolves the name %j to this machine gets %d', async (host, status) => {
    expect(await statusOf('/metrics', { host, authorization })).toBe(status);
  });

  it.each<[Record<string, string>, number]>([
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'none' }, 200],
  ])('whose page sends %j gets %d', async (headers, status) => {
    expect(await statusOf('/metrics', { ...headers, authorization })).toBe(status);
  });

  it('gets no permission to send more than a form can', async () => {
    const { status, headers } = await admin.send('/v1/admin/status', {
      method: 'OPTIONS',
      headers: { origin: admin.url },
    });
    expect(status).toBe(405);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const form = { authorization, 'content-type': 'text/plain' };
    expect((await admin.send('/v1/admin/status', { method: 'POST', headers: form, body: '{}' })).status).toBe(415);
  });
});
