import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { fromRedis } from '@sluice/config';
import { ManualClock } from '@sluice/core/testing';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';

let client: Redis;
let server: RedisServer;

withRedis((started, running) => {
  client = started;
  server = running;
});

const { signal } = new AbortController();

describe('fromRedis', () => {
  it('reads the value of a key', async () => {
    await client.set('policies', 'version: 1\n');
    const source = fromRedis(client, { key: 'policies', timeout: '1m' });
    const first = await source.read(signal);
    expect(first).toMatchObject({ text: 'version: 1\n', origin: 'redis:policies' });
    await client.set('policies', 'version: ü\n');
    const second = await source.read(signal);
    expect(second.text).toBe('version: ü\n');
    expect(second.revision).not.toBe(first.revision);
  });

  it.each([
    ['does not exist', () => client.del('policies'), 'redis:policies does not exist, or is empty (SLUICE_SOURCE)'],
    [
      'is no text',
      async () => {
        await client.del('policies');
        await client.lpush('policies', 'a');
      },
      'redis:policies cannot be read: WRONGTYPE',
    ],
    [
      'is too long',
      async () => {
        await client.del('policies');
        await client.setrange('policies', 16 * 1024 * 1024, '#');
      },
      'is larger than 16 MiB',
    ],
  ])('fails if the key %s', async (_, prepare, message) => {
    await prepare();
    await expect(fromRedis(client, { key: 'policies', timeout: '1m' }).read(signal)).rejects.toThrow(message);
  });

  it('fails if the server is frozen', async () => {
    const own = new Redis(server.nearest);
    await own.ping();
    await client.set('policies', 'version: 1\n');
    const source = fromRedis(own, { key: 'policies', timeout: '100ms' });
    await server.freeze();
    await expect(source.read(signal)).rejects.toThrow('redis:policies was not read within 100 ms (SLUICE_SOURCE)');
    await server.thaw();
    expect((await fromRedis(own, { key: 'policies', timeout: '1m' }).read(signal)).text).toBe('version: 1\n');
    own.disconnect();
  });

  it('yields after a message, without a poll, until the signal aborts', async () => {
    const end = new AbortController();
    let yields = 0;
    const source = fromRedis(client, { key: 'policies', channel: 'news', clock: new ManualClock() });
    const loop = (async () => {
      for await (const _ of source.changes(end.signal)) yields += 1;
    })();
    await until(async () => (await client.publish('news', 'a')) === 1);
    const before = yields;
    await client.publish('news', 'b');
    await until(() => yields > before);
    end.abort();
    await loop;
    await until(async () => (await client.publish('news', 'c')) === 0);
  });

  it('yields after a message, also with a client that keeps no commands until it is connected', async () => {
    const own = new Redis({ ...server.nearest, enableOfflineQueue: false });
    await once(own, 'ready');
    const end = new AbortController();
    let yields = 0;
    const loop = (async () => {
      for await (const _ of fromRedis(own, { channel: 'news', clock: new ManualClock() }).changes(end.signal))
        yields += 1;
    })();
    await until(async () => (await client.publish('news', 'a')) === 1, 1);
    await until(() => yields > 0);
    end.abort();
    await loop;
    own.disconnect();
  });

  it('yields at each poll, in case a message was lost', async () => {
    const clock = new ManualClock();
    const end = new AbortController();
    let yields = 0;
    const source = fromRedis(client, { key: 'policies', poll: '2s', clock });
    const loop = (async () => {
      for await (const _ of source.changes(end.signal)) yields += 1;
    })();
    const quiet = async (): Promise<number> => {
      let last = -1;
      while (last !== yields) {
        last = yields;
        await client.ping();
        await clock.untilSleeping(1);
      }
      return yields;
    };
    await until(async () => ((await client.pubsub('NUMSUB', 'policies')) as unknown[])[1] === 1);
    const before = await quiet();
    clock.advance('2s');
    await until(() => yields > before);
    end.abort();
    await loop;
  });

  it('refuses what is no client', () => {
    expect(() => fromRedis({} as never)).toThrow('client.call must be a function');
  });
});
