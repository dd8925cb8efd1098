import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, type PolicyOptions, slidingWindow } from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { settled } from '@sluice/test-kit/manual-store';

const failure = new Error('the database is gone');
const fail = (): never => {
  throw failure;
};
const failLater = async (): Promise<never> => fail();

const ten = { limit: 10, window: '1m' } as const;

/** A policy of two limits, the second of which has the failing function. */
const failing = (fails: () => never | Promise<never>): [what: string, options: PolicyOptions<[string]>][] => [
  ['keyGenerator', { limits: [slidingWindow(ten), { ...ten, name: 'b', keyGenerator: fails }] }],
  [
    'a part of a compound key',
    { limits: [slidingWindow(ten), { ...ten, name: 'b', keyGenerator: [() => 'a', fails] }] },
  ],
  ['cost', { limits: [slidingWindow(ten), { ...ten, name: 'b', cost: fails }] }],
  ['limit', { limits: [slidingWindow(ten), { limit: fails, window: '1m', name: 'b' }] }],
  ['a tier', { limits: [slidingWindow(ten), { limit: fails }] }],
  ['skip', { limits: [slidingWindow(ten), { ...ten, name: 'b' }], skip: fails }],
];

const verbs = ['consume', 'peek', 'reserve', 'refund', 'charge', 'wait'] as const;

describe("When a user's function fails", () => {
  it.each(failing(fail))('at once, every method throws its error, and nothing is spent: %s', async (_, options) => {
    const store = new MemoryStore();
    const limiter = createLimiter({ ...options, store });
    for (const verb of verbs.slice(0, -1)) expect(() => limiter[verb]('ann')).toThrow(failure);
    await expect(limiter.wait('ann')).rejects.toBe(failure);
    expect(store.size).toBe(0);
  });

  it.each([...failing(failLater), ...failing(fail)])(
    'it is a rejection over an asynchronous store: %s',
    async (_, options) => {
      const limiter = createLimiter({ ...options, store: new AsyncStore() });
      for (const verb of verbs) await expect(limiter[verb]('ann')).rejects.toBe(failure);
    },
  );

  it.each(failing(failLater))('later, the result rejects, and there is no other rejection: %s', async (_, options) => {
    const store = new MemoryStore();
    const limiter = createLimiter({ ...options, store });
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    for (const verb of verbs) await expect(limiter[verb]('ann')).rejects.toBe(failure);
    await settled();
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
    expect(store.size).toBe(0);
  });

  it('in enforce, the request is not decided', () => {
    const limiter = createLimiter({ ...ten, enforce: fail });
    expect(() => limiter.consume('ann')).toThrow(failure);
  });

  it('the error does not count as a failure of the store', () => {
    const limiter = createLimiter({ ...ten, cost: fail, onStoreError: 'allow' });
    expect(() => limiter.consume('ann')).toThrow(failure);
  });
});
