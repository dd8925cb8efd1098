import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { concurrency, createLimiter, type LimitCheck, SluiceError, slidingWindow, storeMetrics } from '@sluice/core';
import { systemClock } from '@sluice/core/src/values/clock';
import { protectStore } from '@sluice/core/store';
import { FAILING_MS_TO_OPEN } from '../../src/guard/breaker.js';
import { RemoteMemory } from './remote-memory.js';

// What a server that hangs or fails does to the calls of others is shown by the faults of @sluice/cloudflare.

const TIMEOUT_MS = 60;
const HALF_AN_HOUR_MS = 1_800_000;

let store: RemoteMemory;

/** A memory store behind a network, in a runtime whose timers end with a request: each key has a server. */
function requestBound(clock = systemClock): RemoteMemory {
  const bound = new RemoteMemory(clock, TIMEOUT_MS);
  const remote = { ...bound.remote, requestBound: { serverOf: ({ key }: { readonly key: string }) => key } };
  return Object.assign(bound, { name: 'request-bound', remote });
}

beforeEach(() => {
  store = requestBound();
});
afterEach(() => store.close());

const check = (key: string): LimitCheck => ({
  policy: 'api',
  name: 'limit',
  key,
  limit: slidingWindow({ limit: 100, window: '1h' }),
  cost: 1,
});

it('asks once for a decision, also for the first one', async () => {
  const limiter = createLimiter({ name: 'api', limit: 100, window: '1h', store });
  const askedMs = systemClock.now();
  expect((await limiter.consume('ann')).source).toBe('store');
  expect(store.calls).toBe(1);
  const [{ notAfterMs } = {}] = store.asks;
  expect(notAfterMs).toBeGreaterThanOrEqual(askedMs);
  expect(notAfterMs).toBeLessThanOrEqual(systemClock.now() + TIMEOUT_MS);
});

it('learns the time of a server whose clock is another one, if it refuses a call as too late', async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + HALF_AN_HOUR_MS };
  const ahead = Object.assign(requestBound(clock), { clock: systemClock });
  const limiter = createLimiter({ name: 'api', limit: 100, window: '1h', store: ahead, onStoreError: 'allow' });
  expect((await limiter.consume('ann')).source).toBe('allow');
  expect((await limiter.consume('ann')).source).toBe('store');
  await ahead.close();
});

it('knows which servers are not asked', async () => {
  store.cut();
  const protectedStore = protectStore(store);
  for (let i = 0; i < 5; i += 1) await expect(protectedStore.consume({ checks: [check('ann')] })).rejects.toThrow();
  const unavailable = (key: string, own: Partial<LimitCheck> = {}): unknown =>
    protectedStore.unavailable?.({ checks: [{ ...check(key), ...own }] });
  expect(unavailable('ann')).toMatchObject({ code: 'SLUICE_STORE', storeFailure: 'unavailable' });
  expect(unavailable('ann', { shadow: true })).toBeUndefined();
  expect(unavailable('bob')).toBeUndefined();
});

it('does not ask a server that fails again half a second after it has failed, however seldom it is asked', async () => {
  store.cut();
  const protectedStore = protectStore(store);
  const fail = async (): Promise<void> => {
    await expect(protectedStore.reset([check('ann')])).rejects.toThrow();
  };
  await fail();
  await fail();
  const before = store.calls;
  await systemClock.sleep(FAILING_MS_TO_OPEN);
  await fail();
  await fail();
  expect(store.calls).toBe(before + 1);
});

it('keeps the failures of a thousand servers at most', async () => {
  store.cut();
  const protectedStore = protectStore(store);
  const fail = async (key: string): Promise<void> => {
    await expect(protectedStore.reset([check(key)])).rejects.toThrow();
  };
  for (let i = 0; i < 5; i += 1) await fail('ann');
  const before = store.calls;
  await fail('ann');
  expect(store.calls).toBe(before);
  for (let i = 0; i < 1000; i += 1) await fail(`key ${i}`);
  await fail('ann');
  expect(store.calls).toBe(before + 1001);
});

it('gives a mistake of the program to its caller, and counts no failure', async () => {
  store.cut(new SluiceError('SLUICE_UNSUPPORTED', 'no'));
  const protectedStore = protectStore(store);
  for (let i = 0; i < 6; i += 1)
    await expect(protectedStore.consume({ checks: [check('ann')] })).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
    });
  expect(store.calls).toBe(6);
});

it('frees a slot that was granted after the deadline', async () => {
  const limit = concurrency({ limit: 1, lease: '1m' });
  const slot = { ...check('ann'), limit };
  store.back = () => systemClock.sleep(2 * TIMEOUT_MS);
  await expect(protectStore(store).consume({ checks: [slot], id: 'late' })).rejects.toMatchObject({
    storeFailure: 'timeout',
  });
  store.mend();
  await systemClock.sleep(2 * TIMEOUT_MS);
  expect((await protectStore(store).consume({ checks: [slot], id: 'next' })).allowed).toBe(true);
});

it('waits as long as the policy says', async () => {
  const limiter = createLimiter({ name: 'api', limit: 100, window: '1h', store, timeout: 1, onStoreError: 'allow' });
  // It never answers.
  store.there = () => new Promise(() => {});
  const asked = limiter.consume('ann').then(({ source }) => source);
  const timer = systemClock.sleep(TIMEOUT_MS / 2).then(() => 'the timeout of the store is near');
  expect(await Promise.race([asked, timer])).toBe('allow');
});

it('counts its calls and its failures', async () => {
  const countOf = () => {
    const metrics = storeMetrics().find(({ store: name }) => name === 'request-bound');
    const { counts = [] } = metrics?.operations.consume ?? {};
    return [counts.reduce((sum, count) => sum + count, 0), metrics?.breaker] as const;
  };
  const [before] = countOf();
  const limiter = createLimiter({ name: 'api', limit: 100, window: '1h', store, onStoreError: 'allow' });
  await limiter.consume('ann');
  store.cut();
  for (let i = 0; i < 5; i += 1) await limiter.consume('ann');
  expect(countOf()).toEqual([before + 6, 'open']);
});
