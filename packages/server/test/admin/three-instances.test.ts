import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { redisControls } from '@sluice/config';
import { RedisStore } from '@sluice/redis';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';
import { RunningAdmin } from './running-admin.js';

/** A change reaches all instances within 200 ms where nothing else runs, and CI is a busy machine. */
const WITHIN_MS = process.env.SLUICE_ADMIN === 'full' ? 200 : 5000;

let client: Redis;
let place: RedisServer['nearest'];
let stores: RedisStore[];
let clients: Redis[];
let instances: RunningAdmin[];

withRedis((started, server) => {
  client = started;
  place = server.nearest;
});

/** Each instance has a connection of its own, as a process has. */
async function start(timeout = '10s'): Promise<RunningAdmin> {
  const own = new Redis(place);
  clients.push(own);
  const store = new RedisStore({ client: own, timeout });
  stores.push(store);
  await store.ready();
  return RunningAdmin.start({ store, more: { controls: redisControls(own) } });
}

async function stopAll(): Promise<void> {
  await Promise.all(instances.splice(0).map((instance) => instance.close()));
  await Promise.all(stores.splice(0).map((store) => store.close()));
  for (const own of clients.splice(0)) if (own.status !== 'end') own.disconnect();
}

beforeEach(async () => {
  await client.flushall();
  clients = [];
  stores = [];
  instances = [];
  for (let i = 0; i < 3; i += 1) instances.push(await start());
});

afterEach(stopAll);

const areRefused = async (): Promise<boolean> => {
  const answers = await Promise.all(instances.map((instance) => instance.ask('login', { ip: '203.0.113.7' })));
  return answers.every(({ allowed }) => !allowed);
};

const areAllowed = async (): Promise<boolean> => {
  const answers = await Promise.all(instances.map((instance) => instance.ask('login', { ip: '203.0.113.7' })));
  return answers.every(({ allowed }) => allowed);
};

describe('three instances over Redis', () => {
  it('refuse a key that one of them was told to block, with their next decision, and after a restart', async () => {
    expect(await areAllowed()).toBe(true);
    const startMs = performance.now();
    const [first] = instances;
    const { status } =
      (await first?.post('block', { policy: 'login', key: '203.0.113.7', for: '1h', reason: 'flood' })) ?? {};
    expect(status).toBe(200);
    expect(await areRefused()).toBe(true);
    const elapsedMs = performance.now() - startMs;
    process.stdout.write(
      WITHIN_MS === 200 ? `admin: a block reached three instances after ${elapsedMs.toFixed(1)} ms\n` : '',
    );
    expect(elapsedMs).toBeLessThan(WITHIN_MS);

    await stopAll();
    instances.push(await start());
    expect(await areRefused()).toBe(true);
    const { body } = (await instances[0]?.post('blocked', { policy: 'login' })) ?? {};
    expect(body.blocked).toMatchObject([{ reason: 'flood', by: 'admin' }]);
    expect(
      (await instances[0]?.post('unblock', { policy: 'login', key: '203.0.113.7', reason: 'over' }))?.body.found,
    ).toBe(true);
    await until(areAllowed, 20);
  });

  it('follow the enforcement that one of them was told', async () => {
    await until(async () => ((await client.pubsub('NUMSUB', 'sluice:controls')) as unknown[])[1] === 3);
    await instances[0]?.post('block', { policy: 'login', key: '203.0.113.7', for: '1h', reason: 'flood' });
    const startMs = performance.now();
    await instances[1]?.post('enforcement/set', { mode: 'shadow', for: '1h', reason: 'incident' });
    await until(() => instances.every(({ service }) => service.live.status().enforcement === 'shadow'));
    expect(performance.now() - startMs).toBeLessThan(WITHIN_MS);
    expect(await areAllowed()).toBe(true);
    expect((await instances[2]?.post('enforcement'))?.body).toMatchObject({
      mode: 'shadow',
      by: 'ann',
      reason: 'incident',
    });
    await instances[2]?.post('enforcement/clear', { reason: 'over' });
    await until(() => instances.every(({ service }) => service.live.status().enforcement === 'on'));
  });

  it('say that nothing was done if Redis is away, and write that it failed', async () => {
    const first = await start('100ms');
    instances.push(first);
    clients.at(-1)?.disconnect();
    const input = { policy: 'login', key: '203.0.113.7', for: '1h', reason: 'flood' };
    const { status, body } = await first.post('block', input);
    expect([status, body.code]).toEqual([503, 'SLUICE_STORE']);
    expect(JSON.parse(first.audit.at(-1) ?? '')).toMatchObject({
      action: 'block',
      outcome: 'failed',
      error: 'SLUICE_STORE',
    });
  });
});
