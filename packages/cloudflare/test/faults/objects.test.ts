import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, subscribe } from '@sluice/core';
import { systemClock } from '@sluice/core/src/values/clock';
import { DurableObjectStore } from '../../src/index.js';
import { TestNamespace } from '../objects.js';

const TIMEOUT_MS = 100;

/** What a busy machine may add to a deadline. */
const LATENESS_MS = 200;

/**
 * A call tries an object that has failed after a quarter of a second. A timer may ring early by as long as the turn of the event loop
 * has lasted in which it was set.
 */
const TRIED_AFTER_MS = 250 + 100;

let namespace: TestNamespace;
let store: DurableObjectStore;
let limiter: Limiter<string, true>;

beforeEach(() => {
  namespace = new TestNamespace();
  store = new DurableObjectStore({ namespace, timeout: TIMEOUT_MS });
  limiter = createLimiter({ name: 'api', limit: 100, window: '1h', store, onStoreError: 'allow' });
});
afterEach(() => store.close());

const objectOf = (key: string) => namespace.object(`api\n${key}`);
const sourceOf = async (key: string): Promise<string> => (await limiter.consume(key)).source;

/** An object that never answers. */
const hang = (): Promise<void> => new Promise(() => {});

const fail = async (): Promise<void> => {
  throw new Error('Durable Object is overloaded');
};

describe('An object that does not answer', () => {
  it('ends each call at its deadline, and is not asked after five of them, while others are', async () => {
    objectOf('ann').before = hang;
    const beganMs = performance.now();
    expect(await Promise.all(Array.from({ length: 5 }, () => sourceOf('ann')))).toEqual(Array(5).fill('allow'));
    expect(performance.now() - beganMs).toBeLessThan(TIMEOUT_MS + LATENESS_MS);
    const asked = objectOf('ann').messages;
    expect(await sourceOf('ann')).toBe('allow');
    expect(objectOf('ann').messages).toBe(asked);
    await sourceOf('bob');
    expect(objectOf('bob').messages).toBe(1);
  });

  it('is charged nothing by calls that come to it after their deadline', async () => {
    await limiter.consume('ann');
    let thaw = (): void => {};
    const frozen = new Promise<void>((resolve) => {
      thaw = resolve;
    });
    objectOf('ann').before = () => frozen;
    expect(await sourceOf('ann')).toBe('allow');
    objectOf('ann').before = async () => {};
    thaw();
    await systemClock.sleep(20);
    expect((await limiter.peek('ann')).tightest.used).toBe(1);
  });
});

describe('An object that fails', () => {
  it('is tried by one call after a while, and asked again as soon as it answers', async () => {
    // Stores that other tests of this file have left may have events, too.
    const statesOf = new Map<string | undefined, string[]>();
    const stop = subscribe('sluice:breaker', ({ state, node }) => {
      statesOf.set(node, [...(statesOf.get(node) ?? []), state]);
    });
    objectOf('ann').before = fail;
    for (let i = 0; i < 7; i += 1) expect(await sourceOf('ann')).toBe('allow');
    expect(objectOf('ann').messages).toBe(5);
    await systemClock.sleep(TRIED_AFTER_MS);
    expect(await Promise.all([sourceOf('ann'), sourceOf('ann')])).toEqual(['allow', 'allow']);
    expect(objectOf('ann').messages).toBe(6);
    objectOf('ann').before = async () => {};
    await systemClock.sleep(TRIED_AFTER_MS);
    expect(await sourceOf('ann')).toBe('store');
    expect(await sourceOf('ann')).toBe('store');
    stop();
    expect([...statesOf.values()]).toContainEqual(['open', 'half-open', 'half-open', 'closed']);
    // Events show no keys.
    for (const node of statesOf.keys()) expect(node ?? '').not.toContain('ann');
  });

  it('says why', async () => {
    objectOf('ann').before = fail;
    await expect(store.reset([{ policy: 'api', name: 'api', key: 'ann' }])).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringContaining('the object cannot be asked: Durable Object is overloaded'),
    });
  });
});
