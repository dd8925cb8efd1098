import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLimiter, slidingWindow } from '@sluice/core';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import type { Redis } from 'ioredis';
import { createClient, createClientPool } from 'redis';
import { RedisStore } from '../../src/index.js';
import { storesOver } from '../differential/stores-over.js';
import { type Create, clientAt, connectedTo, end, type NodeRedis, VERSIONS } from './node-redis.js';
import { IS_FULL, newStore, prefix, storeBeside, suiteOver } from './over-client.js';

const check = { policy: 'p', name: 'n', key: 'k', limit: slidingWindow({ limit: 5, window: '1h' }), cost: 1 };

let server: RedisServer;
/** Looks at the server past the tested clients. */
let looking: Redis;

withRedis((client, started) => {
  looking = client;
  server = started;
});

describe.each(VERSIONS)('over node-redis %s', (_, create) => {
  let client: NodeRedis;

  beforeAll(async () => {
    client = await connectedTo(server, create);
  });

  afterAll(() => end(client));

  it('sends the scripts of a policy when it connects, and asks for them by their hash after each new connection', async () => {
    const other = clientAt(server, create);
    const store = newStore(other);
    const limiter = createLimiter({ limit: 5, window: '1h', store });
    await looking.config('RESETSTAT');
    await other.connect();
    const callsOf = async (command: string): Promise<number> =>
      Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await looking.info('commandstats'))?.[1] ?? 0);
    await until(async () => (await callsOf('eval')) === 1);
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'store', allowed: true });
    expect(await looking.info('commandstats')).toMatch(/cmdstat_evalsha:.*failed_calls=0/);
    await looking.call('CLIENT', ['KILL', 'ID', String(await other.sendCommand(['CLIENT', 'ID']))]);
    await until(async () => (await callsOf('evalsha')) === 2);
    expect(await callsOf('eval')).toBe(1);
    await store.close();
    end(other);
  });

  it('is one place, in which two stores of the client count together', async () => {
    const [one, other] = [newStore(client), storeBeside(client)];
    createLimiter({ name: 'api', limit: 5, window: '1m', store: one });
    const duplicate = expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' });
    expect(() => createLimiter({ name: 'api', limit: 6, window: '1m', store: other })).toThrow(duplicate);
    await Promise.all([one.close(), other.close()]);
  });

  it('says what to do if it was never connected, and decides as soon as it is', async () => {
    const late = clientAt(server, create);
    const store = newStore(late);
    await expect(store.consume({ checks: [check] })).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message:
        'the Redis client is not open: call its connect() at the start of the program, and close it after the store (SLUICE_STORE)',
    });
    await expect(store.ready({ timeout: 100 })).rejects.toMatchObject({
      message:
        'Redis did not answer within 100 ms: the Redis client is not connected, its status is closed (SLUICE_STORE)',
    });
    const ready = store.ready();
    await late.connect();
    await ready;
    await expect(store.consume({ checks: [check] })).resolves.toMatchObject({ allowed: true });
    await store.close();
    end(late);
  });

  it('reports the error of its connection, and listens once', async () => {
    const gone = clientAt({ port: 1 }, create);
    void gone.connect().catch(() => {});
    const store = newStore(gone);
    const own = gone.listenerCount('error');
    await expect(store.ready({ timeout: '1s' })).rejects.toMatchObject({
      message: expect.stringMatching(/its status is connecting: .*ECONNREFUSED/),
      cause: { code: 'ECONNREFUSED' },
    });
    await expect(store.ready({ timeout: 1 })).rejects.toThrow('its status is connecting');
    expect(gone.listenerCount('error')).toBe(own + 1);
    end(gone);
  });

  it('needs only the permissions that the page names, and none for INFO', async () => {
    const rights = ['+evalsha', '+eval', '+get', '+set', '+del', '+unlink', '+time'];
    await looking.call('ACL', ['SETUSER', 'app', 'on', '>secret', '~sluice:*', '-@all', ...rights]);
    const limited = await connectedTo(server, create, { username: 'app', password: 'secret' });
    const store = new RedisStore({ client: limited });
    await expect(store.ready()).resolves.toBeUndefined();
    await looking.call('ACL', ['SETUSER', 'app', '-set']);
    await expect(new RedisStore({ client: limited }).ready()).rejects.toMatchObject({
      message: expect.stringContaining('+set'),
    });
    end(limited);
  });
});

describe('over a pool of node-redis', () => {
  // Four connections, so that calls overtake each other.
  let pool: NodeRedis;

  beforeAll(async () => {
    const createPool = createClientPool as unknown as (options: object, pool: object) => NodeRedis;
    pool = await connectedTo(server, (options) => createPool(options, { minimum: 4 }));
  });

  afterAll(() => end(pool));

  if (IS_FULL) suiteOver(() => pool);

  it('decides as in memory', () => expectSameAsInMemory(storesOver(pool), 'pool', 10));
});

it('A client of node-redis 6 with a keyPrefix has it before every key', async () => {
  const client = await connectedTo(server, createClient as unknown as Create, { keyPrefix: 'app:' });
  const store = newStore(client);
  const limiter = createLimiter({ limit: 5, window: '1h', store });
  await limiter.consume('ann');
  expect(await looking.keys(`app:${prefix()}*`)).toHaveLength(1);
  expect(await looking.keys(`${prefix()}*`)).toEqual([]);
  await limiter.reset('ann');
  expect(await looking.keys('app:*')).toEqual([]);
  await store.close();
  end(client);
});
