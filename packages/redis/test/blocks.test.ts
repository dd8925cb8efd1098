import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type Limit, type LimitCheck, slidingWindow, tokenBucket } from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import type { Redis } from 'ioredis';
import { RedisStore, type RedisStoreOptions } from '../src/index.js';
import { EVERY_LIMIT } from './every-limit.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

beforeEach(() => client.flushall());

const stores: RedisStore[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

/** A store that a busy machine does not make late. */
function storeOf(options: Partial<RedisStoreOptions> = {}): RedisStore {
  const store = new RedisStore({ client, timeout: '10s', ...options });
  stores.push(store);
  return store;
}

const HOUR_MS = 3_600_000;
const PLAIN = 'sluice:1:fw:api:limit:{ann}';

const limited = (limit: Limit) => ({ name: 'api', limit: { ...limit, name: 'limit' } });

/** The names of the keys that are not the list of blocks. */
async function stateNames(): Promise<string[]> {
  return (await client.keys('*')).filter((name) => !name.includes(':blocks:')).sort();
}

describe('A block', () => {
  it('is one write that the limiters of all stores on one Redis obey at their next decision', async () => {
    const others = Array.from({ length: 8 }, () => client.duplicate());
    const limiters = [client, ...others].map((own) =>
      createLimiter({
        ...limited(tokenBucket({ capacity: 1000, refillRate: 1000 })),
        store: storeOf({ client: own }),
      }),
    );
    await Promise.all(limiters.map((limiter) => limiter.consume('upstream')));
    await limiters[0]?.block('upstream', '1h');
    const decisions = await Promise.all(limiters.map((limiter) => limiter.consume('upstream')));
    expect(decisions.map(({ allowed }) => allowed)).toEqual(limiters.map(() => false));
    for (const { retryAfterMs } of decisions) expect(retryAfterMs).toBeGreaterThan(HOUR_MS / 2);
    await limiters[1]?.unblock('upstream');
    await new Promise((resolve) => setTimeout(resolve, 101));
    const later = await Promise.all(limiters.map((limiter) => limiter.consume('upstream')));
    expect(later.every(({ allowed }) => allowed)).toBe(true);
    await Promise.all(others.map((own) => own.quit()));
  });

  it('is seen by asks that travel together with others, before and behind them', async () => {
    const store = storeOf();
    const check = (name: string, key: string): LimitCheck => {
      return { policy: 'p', name, key, limit: EVERY_LIMIT[name as keyof typeof EVERY_LIMIT] as Limit, cost: 1 };
    };
    const names = Object.keys(EVERY_LIMIT);
    for (const name of names) await store.blocks.block({ targets: [check(name, 'ann')], forMs: HOUR_MS });
    const keys = ['bob', 'ann', 'cid', 'ann', 'dot'];
    const replies = await Promise.all(
      names.flatMap((name, i) =>
        keys.map((key, j) =>
          store.consume({ checks: [check(name, key)], ...(name === 'concurrency' && { id: `${i}-${j}` }) }),
        ),
      ),
    );
    const blocked = names.flatMap(() => keys.map((key) => key === 'ann'));
    expect(replies.map(({ verdicts: [verdict] }) => verdict?.blocked === true)).toEqual(blocked);
  });

  it('begins in other processes when their lease ends, or with their next synchronization', async () => {
    const limit = slidingWindow({ limit: 1000, window: '1h' });
    for (const make of [
      (store: RedisStore) => new LeasedStore({ busyFrom: 1, store, lease: 50 }),
      (store: RedisStore) => new SyncedStore({ busyFrom: 1, store, sync: 50 }),
    ]) {
      await client.flushall();
      const others = [client.duplicate(), client.duplicate()];
      const [one, other] = others.map((own) =>
        createLimiter<string, true>({ ...limited(limit), store: make(storeOf({ client: own })) }),
      );
      for (let i = 0; i < 10; i += 1) await Promise.all([one?.consume('ann'), other?.consume('ann')]);
      await one?.block('ann', '1h');
      expect(await one?.consume('ann')).toMatchObject({ allowed: false, tightest: { blocked: true } });
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect((await other?.consume('ann'))?.allowed).toBe(false);
      await Promise.all(others.map((own) => own.quit()));
    }
  });

  it('rejects if Redis cannot record it, whatever onStoreError is, and as a failure of the store', async () => {
    const gone = client.duplicate({ lazyConnect: true, port: 1, enableOfflineQueue: false, retryStrategy: () => null });
    gone.on('error', () => {});
    for (const onStoreError of ['local', 'allow', 'deny'] as const) {
      const store = storeOf({ client: gone, prefix: `${onStoreError}:`, timeout: 50 });
      const limiter = createLimiter({ limit: 5, window: '1m', onStoreError, store });
      const failed = expect.objectContaining({ message: expect.any(String) });
      await expect(limiter.block('ann', '1m')).rejects.toEqual(failed);
      await expect(limiter.unblock('ann')).rejects.toEqual(failed);
      await expect(limiter.blocked()).rejects.toEqual(failed);
      await expect(limiter.inspect('ann')).rejects.toEqual(failed);
      expect((await limiter.consume('ann')).source).toBe(onStoreError);
    }
    gone.disconnect();
  });

  it('has a list with room for 10,000, writes nothing for one more, and has room again when one has ended', async () => {
    const store = storeOf();
    const limiter = createLimiter({ ...limited(fixedWindow({ limit: 5, window: '1m' })), store });
    const members = Array.from({ length: 9999 }, (_, i) => [Date.now() + HOUR_MS, `hash-${i}`]).flat();
    await client.zadd('sluice:1:blocks:{api}:held', ...members);
    await limiter.block('ann', '1h');
    expect(await stateNames()).toHaveLength(7);
    await expect(limiter.block('bob', 'forever')).rejects.toMatchObject({ code: 'SLUICE_FULL' });
    expect(await stateNames()).toHaveLength(7);
    await limiter.block('ann', '2h');
    await client.zadd('sluice:1:blocks:{api}:held', Date.now() - 1000, 'hash-7');
    await limiter.block('bob', 'forever');
    expect((await limiter.consume('bob')).allowed).toBe(false);
    await limiter.reset('bob');
  });

  it('of a limit takes the place of the one that ends first, and of no other, where 10,000 are listed', async () => {
    const limit = fixedWindow({ limit: 1, window: '1m', blockDuration: '1h' });
    const limiter = createLimiter({ ...limited(limit), store: storeOf() });
    const begun = 'sluice:1:blocks:{api}:begun';
    const membersOf = (count: number) =>
      Array.from({ length: count }, (_, i) => [Date.now() + HOUR_MS / 2 + i, `hash-${i}`]).flat();
    await client.zadd('sluice:1:blocks:{api}:held', ...membersOf(5000));
    await client.zadd(begun, ...membersOf(4999));
    await client.zadd(begun, Date.now() + HOUR_MS / 4, 'first');
    await limiter.consume('ann');
    expect((await limiter.consume('ann')).allowed).toBe(false);
    await until(async () => (await client.zscore(begun, 'first')) === null, 10);
    expect(await client.zcard(begun)).toBe(5000);
    expect(await client.zscore(begun, 'hash-0')).not.toBeNull();
  });

  it('rejects and leaves nothing if Redis is full', async () => {
    const limiter = createLimiter({ ...limited(fixedWindow({ limit: 5, window: '1m' })), store: storeOf() });
    await limiter.consume('ann');
    const before = await client.keys('*');
    await client.config('SET', 'maxmemory', '1');
    try {
      await expect(limiter.block('ann', '1h')).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    } finally {
      await client.config('SET', 'maxmemory', '0');
    }
    expect(await client.keys('*')).toEqual(before);
    expect((await limiter.consume('ann')).allowed).toBe(true);
  });

  it('leaves no key behind that outlives its use', async () => {
    const store = storeOf();
    const limiter = createLimiter({ ...limited(fixedWindow({ limit: 5, window: '1m' })), store });
    await limiter.consume('ann');
    await limiter.block('ann', 'forever');
    await limiter.unblock('ann');
    expect(await stateNames()).toEqual([PLAIN]);
    expect(await client.pttl(PLAIN)).toBeLessThanOrEqual(60_000);
    await limiter.block('bob', 'forever');
    await limiter.reset('bob');
    await limiter.blocked();
    expect(await stateNames()).toEqual([PLAIN]);
    expect(await client.zcard('sluice:1:blocks:{api}:held')).toBe(0);
  });

  it('returns a state to the format that the fast path reads when it has ended', async () => {
    const store = storeOf();
    const limiter = createLimiter({ ...limited(fixedWindow({ limit: 5, window: '1m' })), store });
    await limiter.consume('ann');
    const before = await client.getBuffer(PLAIN);
    await limiter.block('ann', 20);
    expect((await client.getBuffer(PLAIN))?.[0]).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect((await limiter.consume('ann')).tightest).toMatchObject({ allowed: true, remaining: 3 });
    expect((await client.getBuffer(PLAIN))?.[0]).toBe(before?.[0]);
  });
});

describe('States without strikes and without a block by hand', () => {
  it('have the bytes that versions before them read', async () => {
    const clock = { now: () => 1_800_000_000_000, sleep: async () => {} };
    const store = storeOf({ clock });
    const limiter = createLimiter({ ...limited(fixedWindow({ limit: 1, window: '1m', blockDuration: '1h' })), store });
    await limiter.consume('ann');
    await limiter.consume('ann');
    const state = Buffer.alloc(36);
    state.writeUInt8(2, 0);
    state.writeBigInt64LE(BigInt(clock.now() + HOUR_MS), 1);
    // No admission is known, and the block began now.
    state.writeBigInt64LE(-2n - BigInt(clock.now()), 8);
    state.writeUInt8(1, 15);
    state.writeUIntLE(clock.now(), 16, 6);
    state.writeUInt32LE(60_000, 22);
    state.writeUInt8(1, 29);
    expect(await client.getBuffer(PLAIN)).toEqual(state);
  });
});

it('keeps one list of the blocks of all processes', async () => {
  const other = client.duplicate();
  const limit = fixedWindow({ limit: 0, window: '1m', blockDuration: '1h' });
  const [one, two] = [client, other].map((own) =>
    createLimiter({ ...limited(limit), store: storeOf({ client: own }) }),
  );
  await Promise.all(Array.from({ length: 30 }, (_, i) => one?.consume(`key ${i}`)));
  await one?.blocked();
  await two?.block('ann', 'forever', { reason: 'scraping', reveal: true });
  const page = await two?.blocked({ limit: 25 });
  expect(page?.entries.every(({ by, strikes }) => by === 'limit' && strikes === 1)).toBe(true);
  const rest = await one?.blocked({ limit: 25, cursor: page?.cursor as string });
  expect(rest?.entries).toHaveLength(6);
  expect(rest?.entries.at(-1)).toEqual({ key: 'ann', untilMs: 'forever', by: 'admin', strikes: 0, reason: 'scraping' });
  await other.quit();
});
