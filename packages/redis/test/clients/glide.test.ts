import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { GlideClient, Logger } from '@valkey/valkey-glide';
import type { Redis } from 'ioredis';
import { GlideDriver } from '../../../../examples/shared/src/glide-driver.js';
import { newStore } from './over-client.js';

Logger.setLoggerConfig('off');

describe('over Valkey GLIDE, by the driver of the examples', () => {
  let looking: Redis;
  let server: RedisServer;
  let driver: GlideDriver;
  const clients: GlideClient[] = [];

  async function connected(): Promise<GlideDriver> {
    const addresses = [{ host: '127.0.0.1', port: server.port }];
    const client = await GlideClient.createClient({ addresses, requestTimeout: 10_000 });
    clients.push(client);
    return new GlideDriver(client);
  }

  withRedis((started, running) => {
    looking = started;
    server = running;
  });

  beforeAll(async () => {
    driver = await connected();
  });

  afterAll(() => {
    for (const client of clients) client.close();
  });

  it('sends the script again after SCRIPT FLUSH, and loses no decision', async () => {
    const store = newStore(driver);
    const limiter = createLimiter({ limit: 20, window: '1h', store });
    await limiter.consume('ann');
    await looking.script('FLUSH');
    const decisions = await Promise.all(Array.from({ length: 30 }, () => limiter.consume('ann')));
    expect(decisions.map(({ source }) => source)).toEqual(decisions.map(() => 'store'));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(19);
    await store.close();
  });

  it('says what to do, as over all clients', async () => {
    const store = newStore(driver);
    await looking.config('SET', 'maxmemory', '1');
    await expect(store.ready()).rejects.toThrow('Redis is full and evicts no keys: raise its maxmemory');
    await looking.config('SET', 'maxmemory', '0');
    await expect(store.ready()).resolves.toBeUndefined();
    await store.close();
  });

  it('refuses at once when a call has shown that the client is closed', async () => {
    const own = await connected();
    const store = newStore(own);
    clients.at(-1)?.close();
    await expect(store.ready()).rejects.toThrow('the client is closed');
    await expect(store.ready()).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    await store.close();
  });
});
