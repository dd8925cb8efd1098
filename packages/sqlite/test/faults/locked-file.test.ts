import { expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { SqliteStore } from '../../src/index.js';
import { sqliteDriver } from '../../src/sqlite-driver.js';
import { newFile } from '../database-folder.js';

const TIMEOUT_MS = 100;

const options = { limit: 10, window: '1h' } as const;

/** Opens a store, and another connection that holds the lock of its file. */
async function locked(timeout = TIMEOUT_MS) {
  const file = newFile();
  const store = closedAfterTest(new SqliteStore({ file, timeout }));
  await store.ready();
  const holder = closedAfterTest((await sqliteDriver())(file));
  holder.exec('BEGIN IMMEDIATE');
  return { store, free: () => holder.exec('COMMIT') };
}

it('A lock that is freed in time delays a decision, and the event loop goes on meanwhile', async () => {
  const { store, free } = await locked(10_000);
  const limiter = createLimiter({ ...options, store });
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
    if (turns === 5) free();
  }, 5);
  const decision = await limiter.consume('ann');
  clearInterval(turning);
  expect(turns).toBeGreaterThanOrEqual(5);
  expect(decision).toMatchObject({ allowed: true, source: 'store' });
});

it('A policy waits for a lock as long as its own timeout says, where that is longer than the one of the store', async () => {
  const { store, free } = await locked();
  const patient = createLimiter({ ...options, store, timeout: '1m', onStoreError: 'deny' });
  const hasty = createLimiter({ ...options, name: 'hasty', store, onStoreError: 'deny' });
  const decision = patient.consume('ann');
  for (let i = 0; i < 2; i += 1) expect((await hasty.consume('ann')).source).toBe('deny');
  free();
  expect(await decision).toMatchObject({ allowed: true, source: 'store' });
});

it.each(['local', 'allow', 'deny'] as const)(
  'A lock that another process holds keeps the deadline, under %s, and charges nothing later',
  async (onStoreError) => {
    const { store, free } = await locked();
    const limiter = createLimiter({ ...options, store, onStoreError });
    const beganMs = performance.now();
    // A quarter of the timeout is what a deadline may be late. On a busy machine, a bare timer is late, too.
    const timer = new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS * 1.25)).then(() => performance.now());
    const decisions = await Promise.all(Array.from({ length: 20 }, (_, i) => limiter.consume(`ann-${i}`)));
    const tookMs = performance.now() - beganMs;
    expect(tookMs).toBeLessThan((await timer) - beganMs + 100);
    expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set([onStoreError]));
    free();
    const endMs = performance.now() + 5000;
    while ((await limiter.peek('ann-0')).source !== 'store' && performance.now() < endMs)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await limiter.peek('ann-0')).toMatchObject({ source: 'store', tightest: { remaining: 10 } });
  },
);

it('says who has the lock, and for how long', async () => {
  const { store } = await locked();
  await expect(store.ready({ timeout: '200ms' })).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringMatching(
      /another process has had the lock of .*limits\.db for \d+ ms, so give the store a file of its own/,
    ),
  });
});
