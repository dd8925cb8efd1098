import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import type { Client } from './client.js';
import type { Gateway, GatewayName } from './gateways.js';
import { type Instance, IS_FULL, NAMES, Setup } from './setup.js';

const LIMIT = 100;
const CONNECTIONS = 8;
const REQUESTS = IS_FULL ? 200 : 20;

const POLICIES = `
version: 1
keys: { customer: { header: x-api-key } }
policies:
  api: { key: customer, limits: [{ limit: ${LIMIT}, window: 1d }] }
`;

/** A slow machine gets its decisions from Redis, too. */
const PATIENT = ['--store-timeout', '10s'];

describe('Three instances over one Redis', () => {
  const setup = new Setup();
  let instances: readonly Instance[];
  let redis: RedisServer;
  withRedis((_, server) => {
    redis = server;
  });

  beforeAll(async () => {
    instances = await setup.services(POLICIES, 3, redis.port, PATIENT);
  });

  async function start(name: GatewayName, isFailClosed: boolean): Promise<{ gateway: Gateway; client: Client }> {
    const services = instances.map(({ port }) => port);
    const gateway = await setup.gateway(name, services, { isFailClosed, isPatient: true });
    return { gateway, client: setup.client(gateway.server.url, CONNECTIONS) };
  }

  it('let exactly the limit reach the application behind each balancer, fail-closed', async () => {
    for (const name of NAMES) {
      setup.application.forget();
      const { gateway, client } = await start(name, true);
      const statuses = await client.load(REQUESTS, { headers: { 'X-Api-Key': `closed ${name}` } });
      expect({ name, statuses }).toEqual({
        name,
        statuses: { 200: LIMIT, 429: CONNECTIONS * REQUESTS - LIMIT },
      });
      expect(setup.application.asked).toBe(LIMIT);
      expect(gateway.failOpens()).toBe(0);
    }
  });

  it('let only those pass above the limit that the own log of each balancer names, fail-open', async () => {
    setup.application.forget();
    const started = await Promise.all(NAMES.map(async (name) => ({ name, ...(await start(name, false)) })));
    const asked = (name: GatewayName) => ({ headers: { 'X-Api-Key': `open ${name}` } });
    for (const { name, client } of started) await client.load(REQUESTS, asked(name));
    expect(setup.application.asked).toBe(NAMES.length * LIMIT);
    for (const instance of instances) await setup.kill(instance);
    for (const { name, gateway, client } of started) {
      setup.application.forget();
      // nginx answers a little longer by what it remembers.
      await until(async () => (await client.ask(asked(name))).status === 200, 50);
      await client.load(REQUESTS, asked(name));
      expect(gateway.failOpens()).toBeGreaterThan(CONNECTIONS * REQUESTS);
      expect({ name, excess: setup.application.asked }).toEqual({ name, excess: gateway.failOpens() });
    }
  });
});
