import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisStore } from '@sluice/redis';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { Redis } from 'ioredis';
import { descriptorsOf, OfficialClient } from './official-client.js';
import { startGrpc } from './test-server.js';

const TEXT = `version: 1
policies:
  wide: { key: everyone, limits: [{ name: hour, limit: 1000, window: 1h }] }
  gate: { key: everyone, limits: [{ name: hour, limit: 100, window: 1h }] }
`;

let client: Redis;
let place: RedisServer['nearest'];
const ends: (() => unknown)[] = [];

withRedis((started, server) => {
  client = started;
  place = server.nearest;
});

/** Each instance has a connection of its own, as a process has. */
async function start() {
  const own = new Redis(place);
  const store = new RedisStore({ client: own, timeout: '10s' });
  await store.ready();
  const server = await startGrpc(TEXT, { store });
  const asking = new OfficialClient(server.port);
  ends.push(
    () => asking.close(),
    server.stop,
    () => store.close(),
    () => own.disconnect(),
  );
  return { service: server.service, client: asking };
}

beforeEach(() => client.flushall());

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Instance = Awaited<ReturnType<typeof start>>;

const usedOf = async ({ service }: Instance, policy: string): Promise<number> =>
  (await service.handle(policy).peek(['everyone'])).tightest.used;

describe('three instances over Redis', () => {
  it('allow as many requests as the limit, and refused ones spend nothing in any policy', async () => {
    const instances = await Promise.all([start(), start(), start()]);
    const descriptors = descriptorsOf({ policy: 'wide' }, { policy: 'gate' });
    const asked = instances.flatMap((instance) =>
      Array.from({ length: 60 }, () => instance.client.call({ domain: 'any', descriptors })),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter(({ overall_code }) => overall_code === 'OK')).toHaveLength(100);
    const [first] = instances;
    expect([await usedOf(first, 'wide'), await usedOf(first, 'gate')]).toEqual([100, 100]);
  });

  it('charge an operation once, whichever of them it reaches, and give it back once', async () => {
    const instances = await Promise.all([start(), start(), start()]);
    const [first] = instances;
    const metadata = { 'sluice-request-id': 'b7d2' };
    await first.client.call({ domain: 'gate', hits_addend: 100, descriptors: descriptorsOf({ any: 'x' }) });
    await first.client.call({ domain: 'wide', hits_addend: 5, descriptors: descriptorsOf({ any: 'x' }) });
    const both = descriptorsOf({ policy: 'wide' }, { policy: 'gate' });
    for (const { client } of [...instances, ...instances]) {
      await client.call({ domain: 'wide', descriptors: descriptorsOf({ any: 'x' }) }, { metadata });
      const refused = { metadata: { 'sluice-request-id': 'c0de' } };
      expect(await client.call({ domain: 'any', descriptors: both }, refused)).toMatchObject({
        overall_code: 'OVER_LIMIT',
      });
    }
    expect(await usedOf(first, 'wide')).toBe(6);
  });
});
