import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Asked, Client, Got } from './client.js';
import { ExpressApp } from './express-app.js';
import { NAMES, Setup } from './setup.js';

/** For each balancer: those who ask it, and one who asks Express instead. */
const CUSTOMERS = NAMES.flatMap((name) => [
  name,
  `express ${name}`,
  ...Array.from({ length: 8 }, (_, i) => `${name} ${i}`),
]);

const POLICIES = `
version: 1
keys: { customer: { header: x-api-key } }
tiers: { free: { day: { algorithm: fixed-window, limit: 1, window: 1d } } }
customers:
  mallory: { block: true }
${CUSTOMERS.map((name) => `  ${name}: { tier: free }`).join('\n')}
policies:
  api:
    key: customer
    unknownCustomer: refuse
    onStoreError: deny
    tier: { from: customers, default: free }
    limits: [{ name: day, tier: true }]
`;

const PATIENT_MS = 10_000;

/** What every server adds to its answers in its own way. */
const OWN_FIELDS = ['date', 'server', 'connection', 'keep-alive', 'x-powered-by'];

/** The fields about limits, of an answer of the application. */
const LIMIT_FIELDS = /ratelimit|retry-after/;

function refusalOf({ status, headers, body }: Got): object {
  // The answer to HEAD may have it or not (RFC 9110 section 8.6).
  const omitted = body === '' ? [...OWN_FIELDS, 'content-length'] : OWN_FIELDS;
  const fields = Object.entries(headers).filter(([name]) => !omitted.includes(name));
  return { status, body, fields: Object.fromEntries(fields.sort()) };
}

function limitsOf({ status, headers }: Got): object {
  return { status, fields: Object.fromEntries(Object.entries(headers).filter(([name]) => LIMIT_FIELDS.test(name))) };
}

describe('An answer behind a balancer, and that of Express', () => {
  const setup = new Setup();
  let app: ExpressApp;
  let express: Client;
  let withoutRedis: ExpressApp;
  let expressWithoutRedis: Client;
  const clients = new Map<string, Client>();
  const clientsWithoutRedis = new Map<string, Client>();
  let redis: number;
  withRedis((_, server) => {
    redis = server.port;
  });

  beforeAll(async () => {
    const nobody = await freePort();
    const [[service], [alone]] = await Promise.all([
      setup.services(POLICIES, 1, redis, ['--store-timeout', `${PATIENT_MS}ms`]),
      setup.services(POLICIES, 1, nobody),
    ]);
    app = await ExpressApp.start(POLICIES, redis, PATIENT_MS);
    withoutRedis = await ExpressApp.start(POLICIES, nobody, 50);
    express = setup.client(app.url);
    expressWithoutRedis = setup.client(withoutRedis.url);
    for (const name of NAMES) {
      const options = { isPatient: true, isFailClosed: true };
      const [behind, other] = await Promise.all([
        setup.gateway(name, [service?.port ?? 0], options),
        setup.gateway(name, [alone?.port ?? 0], options),
      ]);
      clients.set(name, setup.client(behind.server.url));
      clientsWithoutRedis.set(name, setup.client(other.server.url));
    }
  });

  afterAll(() => {
    app.stop();
    withoutRedis.stop();
  });

  const by = (key: string): Asked => ({ headers: { 'X-Api-Key': key } });

  /** Asks both, until the answer of Express was the same before and after that of the balancer: the seconds in it go by. */
  async function expectSame(client: Client, direct: Client, asked: Asked): Promise<Got> {
    for (;;) {
      const before = refusalOf(await direct.ask(asked));
      const got = await client.ask(asked);
      const after = refusalOf(await direct.ask(asked));
      if (JSON.stringify(before) !== JSON.stringify(after)) continue;
      expect(refusalOf(got)).toEqual(before);
      return got;
    }
  }

  it.each(NAMES)('are the same to the byte: %s', async (name) => {
    const client = clients.get(name) as Client;
    const allowed = limitsOf(await client.ask(by(name)));
    expect(allowed).toEqual(limitsOf(await express.ask(by(`express ${name}`))));
    expect(allowed).toMatchObject({ status: 200, fields: { ratelimit: '"day";r=0;t=86400' } });
    const refused = await expectSame(client, express, by(name));
    expect(refused).toMatchObject({ status: 429, headers: { 'content-type': 'application/problem+json' } });
    expect(await expectSame(client, express, { ...by(name), method: 'HEAD' })).toMatchObject({ status: 429, body: '' });
    expect(await expectSame(client, express, { ...by(name), method: 'POST', body: 'hello' })).toMatchObject({
      status: 429,
    });
    expect(await expectSame(client, express, by('mallory'))).toMatchObject({ status: 403 });
    expect(await expectSame(client, express, by('nobody'))).toMatchObject({ status: 401 });
    const broken = clientsWithoutRedis.get(name) as Client;
    expect(await expectSame(broken, expressWithoutRedis, by(name))).toMatchObject({ status: 503 });
  });

  it.each(NAMES)('never are those of %s for a refusal of the application', async (name) => {
    const client = clients.get(name) as Client;
    setup.application.forget();
    const statuses = [401, 403, 404, 429, 500, 502, 503, 504];
    for (const [i, status] of statuses.entries()) {
      const got = await client.ask({ ...by(`${name} ${i}`), path: `/status/${status}`, method: 'POST', body: 'hello' });
      expect(got).toMatchObject({ status, body: `{"application":${status}}` });
      expect(got.headers.ratelimit).toBe('"day";r=0;t=86400');
      expect(got.headers['retry-after']).toBeUndefined();
    }
    expect(setup.application.asked).toBe(statuses.length);
    expect(setup.application.bodies).toHaveLength(statuses.length);
  });
});
