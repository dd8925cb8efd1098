import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fromRedis, type RedisClient, redisControls } from '@sluice/config';
import { ManualClock } from '@sluice/core/testing';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import type { Redis } from 'ioredis';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { createClient as createClient5 } from 'redis5';

/** What the versions share, and the tests use: they do not share their types. */
interface NodeRedis {
  connect(): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
  quit(): Promise<unknown>;
}

type Create = (options: object) => NodeRedis & RedisClient;

let looking: Redis;
let server: RedisServer;

withRedis((started, running) => {
  looking = started;
  server = running;
});

describe.each<readonly [string, Create]>([
  ['6', createClient as unknown as Create],
  ['5', createClient5 as unknown as Create],
  ['4', createClient4 as unknown as Create],
])('over node-redis %s', (_, create) => {
  let client: NodeRedis & RedisClient;
  const { signal } = new AbortController();

  beforeEach(async () => {
    await looking.flushall();
    client = create({ socket: { host: '127.0.0.1', port: server.port, reconnectStrategy: () => 20 } });
    client.on('error', () => {});
    await client.connect();
  });

  afterEach(async () => {
    await client.quit();
  });

  it('policies are read from a key, again after each message, and when the connection is back', async () => {
    await looking.set('policies', 'version: ü\n');
    const source = fromRedis(client, { key: 'policies', channel: 'news', clock: new ManualClock(), timeout: '1m' });
    expect((await source.read(signal)).text).toBe('version: ü\n');
    const end = new AbortController();
    let yields = 0;
    const loop = (async () => {
      for await (const _change of source.changes(end.signal)) yields += 1;
    })();
    await until(async () => (await looking.publish('news', 'a')) === 1);
    let before = yields;
    await looking.publish('news', 'b');
    await until(() => yields > before);
    before = yields;
    await looking.call('CLIENT', ['KILL', 'TYPE', 'pubsub']);
    await until(() => yields > before);
    end.abort();
    await loop;
    await until(async () => (await looking.publish('news', 'c')) === 0);
  });

  it('controls are written, told and read', async () => {
    const clock = new ManualClock();
    const controls = redisControls(client, { clock, timeout: '1m' });
    const override = { mode: 'off' as const, untilMs: clock.now() + 60_000, by: 'ann', reason: 'incident' };
    await controls.setEnforcement(override);
    await controls.setBrake('api', 'v1');
    expect(await controls.read(signal)).toEqual({ enforcement: override, brakes: new Map([['api', 'v1']]) });
    await controls.setEnforcement(undefined);
    expect((await controls.read(signal)).enforcement).toBeUndefined();
  });
});
