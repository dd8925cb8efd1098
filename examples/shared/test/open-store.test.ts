import { afterEach, describe, expect, it } from '@jest/globals';
import { slidingWindow } from '@sluice/core';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { type OpenStore, openStore } from '../src/open-store.js';

let opened: OpenStore[] = [];
let server: RedisServer | undefined;

afterEach(async () => {
  await Promise.all(opened.map(({ close }) => close()));
  await server?.stop();
  opened = [];
  server = undefined;
});

async function open(redisUrl?: string, client?: string): Promise<OpenStore['store']> {
  const one = await openStore(redisUrl, 2, client);
  opened.push(one);
  return one.store;
}

describe('The store of the example', () => {
  it('is in memory without a URL', async () => {
    expect((await open()).async).toBe(false);
  });

  it('is in Redis with one, and instances count together, over any of its clients', async () => {
    server = await RedisServer.start();
    const url = `redis://127.0.0.1:${server.port}`;
    const [one, two, three] = [await open(url), await open(url, 'node-redis'), await open(url, 'glide')];
    const limit = slidingWindow({ limit: 5, window: '1h' });
    const ask = { checks: [{ policy: 'api', name: 'per-1h', key: 'ann', limit, cost: 1 }] };
    expect((await one.consume(ask)).verdicts[0]?.remaining).toBe(4);
    expect((await two.consume(ask)).verdicts[0]?.remaining).toBe(3);
    expect((await three.consume(ask)).verdicts[0]?.remaining).toBe(2);
  });

  it('is over a client that it knows', async () => {
    await expect(open('redis://127.0.0.1:1', 'jedis')).rejects.toThrow(
      'must be one of ioredis, node-redis, glide, got "jedis"',
    );
  });
});
