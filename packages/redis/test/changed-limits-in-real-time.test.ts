import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { fixedWindow, type Limit, MemoryStore, type Store, slidingWindow, tokenBucket } from '@sluice/core';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

/**
 * The one test that waits for windows: by its own clock a server lets states end, which no clock of a test shows. It
 * asserts only what holds however late this machine is.
 */
let client: Redis;

withRedis((started) => {
  client = started;
});

const STORES: Readonly<Record<string, () => Store>> = {
  memory: () => new MemoryStore(),
  Redis: () => new RedisStore({ client, timeout: '10s' }),
};

const CHANGES: Readonly<Record<string, readonly [before: Limit, after: Limit]>> = {
  'a bucket that was full by its old rate, and gets a very low one': [
    tokenBucket({ capacity: 10, refillRate: 100 }),
    tokenBucket({ capacity: 10, refillRate: 0.01 }),
  ],
  'a fixed window that has ended, and becomes an hour': [
    fixedWindow({ limit: 10, window: '200ms' }),
    fixedWindow({ limit: 10, window: '1h' }),
  ],
  'a sliding window that counts nothing any more, and becomes an hour': [
    slidingWindow({ limit: 10, window: '200ms' }),
    slidingWindow({ limit: 10, window: '1h' }),
  ],
};

it.each(Object.keys(STORES).flatMap((store) => Object.keys(CHANGES).map((change) => [store, change] as const)))(
  '%s forgets by its own clock what has ended: %s',
  async (name, change) => {
    const store = (STORES[name] as () => Store)();
    const [before, after] = CHANGES[change] as readonly [Limit, Limit];
    const check = (limit: Limit, cost: number) => ({ policy: 'real time', name: change, key: 'ann', limit, cost });
    // A second write, because the first one begins the state.
    for (const cost of [5, 2]) await store.consume({ checks: [check(before, cost)] });
    await sleep(600);
    const { verdicts } = await store.consume({ checks: [check(after, 1)], peek: true });
    expect(verdicts[0]?.remaining).toBe(10);
    await store.close();
  },
);

it('keeps in real time what a longer window has counted while a shorter one decides', async () => {
  const [hour, short] = (['1h', '200ms'] as const).map((window) => slidingWindow({ limit: 5, window })) as [
    Limit,
    Limit,
  ];
  for (const make of Object.values(STORES)) {
    const store = make();
    const ask = async (limit: Limit) =>
      (await store.consume({ checks: [{ policy: 'real time', name: 'window', key: 'bob', limit, cost: 5 }] })).allowed;
    expect(await ask(hour)).toBe(true);
    await sleep(450);
    expect(await ask(short)).toBe(true);
    await sleep(450);
    expect(await ask(hour)).toBe(false);
    await store.close();
  }
});
