import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import type { Client } from './client.js';
import type { Gateway } from './gateways.js';
import type { Relay } from './relay.js';
import { NAMES, Setup } from './setup.js';

const LIMIT = 8;

/** Counts by address. Each test has one of its own. */
const POLICIES = `
version: 1
policies:
  api: { limits: [{ name: day, algorithm: fixed-window, limit: ${LIMIT}, window: 1d }] }
`;

const SPOOF = '198.51.100.7';

/** Fields by which a client could pretend to be somebody else, or to ask something else. */
const SPOOFS: readonly Readonly<Record<string, string>>[] = [
  { 'X-Real-IP': SPOOF, 'X-Forwarded-For': SPOOF, 'X-Api-Key': 'somebody' },
  { Forwarded: `for=${SPOOF}`, 'True-Client-IP': SPOOF, 'CF-Connecting-IP': SPOOF, 'X-Client-IP': SPOOF },
  { 'X-Forwarded-Method': 'OPTIONS', 'X-HTTP-Method-Override': 'OPTIONS' },
  { 'X-Forwarded-Uri': '/free', 'X-Original-URI': '/free', 'X-Rewrite-URL': '/free' },
  { 'X-Forwarded-Host': 'free.example', 'X-Forwarded-Proto': 'gopher', 'X-Forwarded-Port': '1' },
  { 'Sluice-Request-Id': 'mine', 'X-Request-Id': 'mine' },
  { 'Sluice-Request-Id': 'mine', 'Sluice-Status': '204', 'X-Accel-Expires': '100', 'Cache-Control': 'only-if-cached' },
];

/** Fields of which a client hopes that the service and the application read different ones. */
const KEYS: readonly Readonly<Record<string, string | readonly string[]>>[] = [
  { 'X-Api-Key': 'key' },
  { 'X-Api-Key': ['invented', 'key'] },
  { 'x-api-key': ['key', 'invented', ''] },
  { X_Api_Key: 'key' },
  { 'X-Api_Key': 'key', 'x_api-key': 'key' },
  { 'X-Api-Key': 'invented', 'X_Api-Key': 'key' },
];

/** The values of all fields that an application may take for the key: many read an underscore as a hyphen (RFC 3875 section 4.1.18). */
function keysOf(fields: readonly string[]): readonly string[] {
  return fields.filter((_, i) => i % 2 === 1 && /^x[-_]api[-_]key$/i.test(fields[i - 1] ?? ''));
}

describe('A balancer with hostile clients', () => {
  const setup = new Setup();
  let service = 0;
  let addresses = 1;
  const nextAddress = (): string => {
    addresses += 1;
    return `127.0.0.${addresses}`;
  };

  beforeAll(async () => {
    const [instance] = await setup.services(POLICIES);
    service = instance?.port ?? 0;
  });

  describe.each(NAMES)('%s', (name) => {
    const own = nextAddress();
    let relay: Relay;
    let gateway: Gateway;
    let client: Client;

    beforeAll(async () => {
      relay = await setup.relay(service);
      gateway = await setup.gateway(name, [relay.port], { isPatient: true });
      client = setup.client(gateway.server.url, 1, own);
    });

    beforeEach(() => setup.application.forget());

    it('a client that spoofs any field is the same client, and the service is told the truth', async () => {
      const remaining: unknown[] = [];
      for (const headers of SPOOFS) {
        const got = await client.ask({ method: 'PUT', path: '/orders?id=1', headers, body: 'a body' });
        expect(got.status).toBe(200);
        remaining.push(got.headers['x-ratelimit-remaining']);
      }
      expect(remaining).toEqual(SPOOFS.map((_, i) => `${LIMIT - 1 - i}`));
      const address = name === 'nginx' ? 'x-real-ip' : 'x-forwarded-for';
      const host = gateway.server.url.replace('http://', '');
      const { calls } = relay;
      expect(calls).toHaveLength(SPOOFS.length);
      for (const call of calls) {
        expect(call).toMatchObject({
          [address]: [own],
          'x-forwarded-method': ['PUT'],
          'x-forwarded-uri': ['/orders?id=1'],
          'x-forwarded-host': [expect.stringMatching(new RegExp(`^(${host}|127.0.0.1)$`))],
          'sluice-request-id': [expect.stringMatching(/^[\da-f-]{32,36}$/)],
        });
        // The application alone has the body.
        expect([call['content-length'], call['transfer-encoding'], call.expect]).toEqual([
          undefined,
          undefined,
          undefined,
        ]);
      }
      expect(new Set(calls.map((call) => call['sluice-request-id']?.[0])).size).toBe(SPOOFS.length);
      expect(relay.sent).not.toContain('a body');
      expect(setup.application.bodies).toEqual(SPOOFS.map(() => 'a body'));
    });

    it('the application gets the key that was counted, and no other that it could take for it', async () => {
      const { length } = relay.calls;
      for (const headers of KEYS) {
        const asker = setup.client(gateway.server.url, 1, nextAddress());
        expect((await asker.ask({ headers })).status).toBe(200);
        const counted = relay.calls.at(-1)?.['x-api-key'] ?? [];
        expect({ headers, keys: keysOf(setup.application.fields) }).toEqual({ headers, keys: counted });
        expect(counted.length).toBeLessThanOrEqual(1);
      }
      expect(relay.calls).toHaveLength(length + KEYS.length);
    });

    it('an application that cuts off its answer is asked once, and the service, too', async () => {
      const { length } = relay.calls;
      // HAProxy cuts off its own answer, too.
      const status = await client.ask({ method: 'POST', path: '/cut', body: 'a body' }).then(
        (got) => got.status,
        () => 502,
      );
      expect(status).toBe(502);
      expect(setup.application.asked).toBe(1);
      expect(relay.calls).toHaveLength(length + 1);
      expect(gateway.failOpens()).toBe(name === 'Caddy' ? 1 : 0);
    });

    it('a request that is too large for the service does not pass above the limit', async () => {
      expect((await client.ask()).status).toBe(429);
      for (const bytes of [3000, 7000, 9000, 14_000, 15_500, 20_000, 40_000, 100_000]) {
        const { status } = await setup
          .client(gateway.server.url, 1, own)
          .ask({ headers: { 'X-Api-Key': 'k'.repeat(bytes) } });
        expect(status).toBeGreaterThanOrEqual(400);
        const long = await setup.client(gateway.server.url, 1, own).ask({ path: `/${'u'.repeat(bytes)}` });
        expect(long.status).toBeGreaterThanOrEqual(400);
      }
      expect(setup.application.asked).toBe(0);
    });
  });

  it.each(['nginx', 'Caddy'] as const)('repeats a call whose answer is lost, and it counts once: %s', async (name) => {
    const relays = [await setup.relay(service), await setup.relay(service)] as const;
    const gateway = await setup.gateway(
      name,
      relays.map(({ port }) => port),
      { isPatient: true },
    );
    const client = setup.client(gateway.server.url, 1, nextAddress());
    relays[0].cuts = 1;
    let requests = 0;
    let left = '';
    // Whichever is asked first.
    while (relays[0].cuts > 0) {
      requests += 1;
      const got = await client.ask();
      expect(got.status).toBe(200);
      left = String(got.headers['x-ratelimit-remaining']);
    }
    const ids = relays.flatMap(({ calls }) => calls.map((call) => call['sluice-request-id']?.[0]));
    expect(ids).toHaveLength(requests + 1);
    expect(new Set(ids).size).toBe(requests);
    expect(left).toBe(`${LIMIT - requests}`);
    expect(gateway.failOpens()).toBe(0);
  });

  it.each(NAMES)('asks a live instance for a dead one beside it: %s', async (name) => {
    const gateway = await setup.gateway(name, [await freePort(), service], { isPatient: true });
    const client = setup.client(gateway.server.url, 1, nextAddress());
    for (let i = 1; i <= LIMIT; i += 1) {
      expect((await client.ask()).headers['x-ratelimit-remaining']).toBe(`${LIMIT - i}`);
    }
    expect((await client.ask()).status).toBe(429);
    expect(gateway.failOpens()).toBe(0);
  });
});
