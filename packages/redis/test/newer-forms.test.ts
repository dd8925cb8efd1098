import { beforeEach, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type LimitCheck } from '@sluice/core';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';
import { EVERY_LIMIT } from './every-limit.js';

let client: Redis;
let store: RedisStore;

withRedis((given) => {
  client = given;
});

beforeEach(async () => {
  await client.flushall();
  store = new RedisStore({ client, timeout: '10s' });
});

const { concurrency: _slots, ...UNITS } = EVERY_LIMIT;
const LIMITS = { ...UNITS, 'limit that blocks': fixedWindow({ limit: 5, window: '1h', blockDuration: '1h' }) };

const checkOf = (own: Partial<LimitCheck> = {}): LimitCheck => ({
  policy: 'p',
  name: 'n',
  key: 'ann',
  limit: fixedWindow({ limit: 5, window: '1h' }),
  cost: 1,
  ...own,
});

/** Rewrites the only key as a version would whose forms begin with this byte. */
async function rewrite(byte: number): Promise<[key: string, text: Buffer]> {
  const [key] = (await client.keys('*')) as [string];
  const text = await client.getBuffer(key);
  const newer = Buffer.concat([Buffer.from([byte]), (text as Buffer).subarray(1)]);
  await client.set(key, newer, 'PX', 3_600_000);
  return [key, newer];
}

it.each(Object.entries(LIMITS))(
  'A state of a newer version is never taken for a fresh key, nor overwritten, under a %s',
  async (_, limit) => {
    const check = checkOf({ limit });
    await store.consume({ checks: [check] });
    for (const byte of [4, 31, 123, 0]) {
      const [key, newer] = await rewrite(byte);
      const other = checkOf({ limit, key: 'bob' });
      for (const call of [
        () => store.consume({ checks: [check] }),
        () => store.consume({ checks: [check], peek: true }),
        () => store.consume({ checks: [other, check] }),
        () => store.adjust({ checks: [other, { ...check, cost: -1 }] }),
        () => store.blocks.block({ targets: [check], forMs: 1000 }),
        () => store.blocks.unblock([check]),
        () => store.blocks.find([check]),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'SLUICE_STORE', atMs: expect.any(Number) });
        expect([await client.keys('*'), await client.getBuffer(key)]).toEqual([[key], newer]);
      }
    }
    expect(await store.reset([check])).toBe(1);
    expect((await store.consume({ checks: [check] })).allowed).toBe(true);
  },
);

it('An operation that a newer version remembers is not made again', async () => {
  const ask = { checks: [checkOf()], id: 'a', holdMs: 60_000 };
  await store.consume(ask);
  const [key] = (await client.keys('*:ask:*')) as [string];
  await client.set(key, Buffer.from([4, 1, 2, 3]), 'PX', 60_000);
  await expect(store.consume(ask)).rejects.toMatchObject({ code: 'SLUICE_STORE' });
  expect((await store.consume({ checks: [checkOf()], peek: true })).verdicts[0]?.remaining).toBe(4);
  expect(await client.getBuffer(key)).toEqual(Buffer.from([4, 1, 2, 3]));
});

it('Asks about other keys in the same call are decided, and no breaker opens', async () => {
  await store.consume({ checks: [checkOf()] });
  await rewrite(4);
  const limiter = createLimiter({
    name: 'p',
    limit: fixedWindow({ limit: 1000, window: '1h', name: 'n' }),
    store,
    onStoreError: 'deny',
  });
  for (let i = 0; i < 20; i += 1) {
    const [newer, known] = await Promise.all([limiter.consume('ann'), limiter.consume('bob')]);
    expect([newer.source, known.source]).toEqual(['deny', 'store']);
  }
});
