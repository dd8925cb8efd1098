import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { redisControls } from '@sluice/config';
import type { Duration } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';
import { RunningAdmin } from './running-admin.js';

/** A change reaches all instances within 200 ms where nothing else runs, and CI is a busy machine. */
const IS_FULL = process.env.SLUICE_ADMIN === 'full';
const WITHIN_MS = IS_FULL ? 200 : 5000;
const BLOCKS = IS_FULL ? 100 : 3;

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
async function start(timeout: Duration = '10s'): Promise<RunningAdmin> {
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

const ADDRESS = '203.0.113.7';

/** Asks all instances once, and returns whether each of them gives this answer. */
async function areAll(answer: 'allowed' | 'refused', ip = ADDRESS): Promise<boolean> {
  const answers = await Promise.all(instances.map((instance) => instance.ask('login', { ip })));
  return answers.every(({ allowed }) => allowed === (answer === 'allowed'));
}

/** Tells one instance, and returns what it answers. */
async function post(place: number, verb: string, input: object) {
  const instance = instances[place];
  if (!instance) throw new Error(`there is no instance ${place}`);
  return instance.post(verb, { reason: 'flood', ...input });
}

describe('three instances over Redis', () => {
  it('refuse a key with their next decision after it was blocked at one of them', async () => {
    let longestMs = 0;
    for (let i = 0; i < BLOCKS; i += 1) {
      const key = `203.0.113.${i}`;
      expect(await areAll('allowed', key)).toBe(true);
      const startMs = performance.now();
      expect((await post(i % 3, 'block', { policy: 'login', key, for: '1h' })).status).toBe(200);
      expect(await areAll('refused', key)).toBe(true);
      longestMs = Math.max(longestMs, performance.now() - startMs);
    }
    process.stdout.write(
      IS_FULL ? `admin: ${BLOCKS} blocks reached three instances within ${longestMs.toFixed(1)} ms\n` : '',
    );
    expect(longestMs).toBeLessThan(WITHIN_MS);
  });

  it('refuse it after a restart, until it is lifted', async () => {
    await post(0, 'block', { policy: 'login', key: ADDRESS, for: '1h' });
    await stopAll();
    instances.push(await start());
    expect(await areAll('refused')).toBe(true);
    const { body } = (await instances[0]?.post('blocked', { policy: 'login' })) ?? {};
    expect(body.blocked).toMatchObject([{ reason: 'flood', by: 'admin' }]);
    expect((await post(0, 'unblock', { policy: 'login', key: ADDRESS })).body.found).toBe(true);
    await until(() => areAll('allowed'), 20);
  });

  it('follow the enforcement that was set at one of them', async () => {
    await until(async () => ((await client.pubsub('NUMSUB', 'sluice:controls')) as unknown[])[1] === 3);
    const areAllIn = (mode: string): boolean =>
      instances.every(({ service }) => service.live.status().enforcement === mode);
    await post(0, 'block', { policy: 'login', key: ADDRESS, for: '1h' });
    const startMs = performance.now();
    await post(1, 'enforcement/set', { mode: 'shadow', for: '1h' });
    await until(() => areAllIn('shadow'));
    const elapsedMs = performance.now() - startMs;
    process.stdout.write(
      IS_FULL ? `admin: the enforcement reached three instances within ${elapsedMs.toFixed(1)} ms\n` : '',
    );
    expect(elapsedMs).toBeLessThan(WITHIN_MS);
    expect(await areAll('allowed')).toBe(true);
    const { body } = (await instances[2]?.post('enforcement')) ?? {};
    expect(body).toMatchObject({ mode: 'shadow', by: 'ann', reason: 'flood' });
    await post(2, 'enforcement/clear', {});
    await until(() => areAllIn('on'));
    expect(await areAll('refused')).toBe(true);
  });

  it('say that nothing was done if Redis is away, and write that it failed', async () => {
    const first = await start('100ms');
    instances.push(first);
    clients.at(-1)?.disconnect();
    const input = { policy: 'login', key: ADDRESS, for: '1h', reason: 'flood' };
    const { status, body } = await first.post('block', input);
    expect([status, body.code]).toEqual([503, 'SLUICE_STORE']);
    expect(JSON.parse(first.audit.at(-1) ?? '')).toMatchObject({
      action: 'block',
      outcome: 'failed',
      error: 'SLUICE_STORE',
    });
  });
});
