import { describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, MemoryStore, tokenBucket } from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';

const ten = { limit: 10, window: '1m' } as const;

/** Calls every verb once. `wait` returns a promise over any store. */
function everyVerb(limiter: Limiter): unknown[] {
  return [
    limiter.consume('ann'),
    limiter.peek('ann'),
    limiter.reserve('ann'),
    limiter.refund('ann'),
    limiter.charge('ann'),
    limiter.reset('ann'),
  ];
}

describe('Over a synchronous store', () => {
  it.each([
    ['the default store', () => createLimiter(ten)],
    ['a memory store', () => createLimiter({ ...ten, store: new MemoryStore() })],
    [
      'functions that answer at once',
      () =>
        createLimiter({ limit: () => 10, window: '1m', cost: () => 1, skip: () => false, keyGenerator: [() => 'a'] }),
    ],
  ])('results are values: %s', (_, make) => {
    for (const answer of everyVerb(make())) expect(answer).not.toBeInstanceOf(Promise);
  });

  it.each([
    ['a tier', { ...ten, limit: async () => 10 }],
    ['a Limit', { limit: async () => tokenBucket({ capacity: 10, refillRate: 1 }) }],
    ['a cost', { ...ten, cost: async () => 1 }],
    ['a key', { ...ten, keyGenerator: async (id: string) => id }],
    ['a part of a key', { ...ten, keyGenerator: [() => 'all', async (id: string) => id] }],
    ['a skip', { ...ten, skip: async () => false }],
  ])('results are promises if a function returns a promise: %s', async (_, options) => {
    const limiter = createLimiter<string>(options);
    const answers = [limiter.consume('ann'), limiter.peek('ann'), limiter.reserve('ann'), limiter.charge('ann')];
    for (const answer of answers) expect(answer).toBeInstanceOf(Promise);
    await Promise.all(answers);
    expect((await limiter.peek('ann')).tightest.remaining).toBe(7);
  });

  it('an asynchronous function delays the limits after it, and skips none', async () => {
    const limiter = createLimiter({
      limits: [
        { limit: async () => 10, window: '1m', name: 'later' },
        { ...ten, name: 'at-once' },
        { ...ten, name: 'by-key', keyGenerator: [async () => 'all', (id: string) => id] },
      ],
    });
    await limiter.consume('ann');
    const { verdicts } = await limiter.consume('bob');
    expect(verdicts.map(({ name, remaining }) => [name, remaining])).toEqual([
      ['later', 9],
      ['at-once', 9],
      ['by-key', 9],
    ]);
  });

  it('wait always returns a promise', async () => {
    const waiting = createLimiter(ten).wait('ann');
    expect(waiting).toBeInstanceOf(Promise);
    expect((await waiting).allowed).toBe(true);
  });
});

describe('Over an asynchronous store', () => {
  it('every result is a promise', async () => {
    const answers = everyVerb(createLimiter({ ...ten, store: new AsyncStore() }));
    for (const answer of answers) expect(answer).toBeInstanceOf(Promise);
    await Promise.all(answers);
  });

  it('every result is a promise, even if nothing is asked', async () => {
    const answers = everyVerb(createLimiter({ ...ten, skip: () => true, store: new AsyncStore() }));
    for (const answer of answers) expect(answer).toBeInstanceOf(Promise);
    await Promise.all(answers);
  });

  it('mistakes are rejections', async () => {
    const limiter = createLimiter({ ...ten, store: new AsyncStore() });
    for (const verb of ['consume', 'peek', 'reserve', 'wait', 'refund', 'charge'] as const) {
      await expect(limiter[verb]('ann', { cost: -1 })).rejects.toMatchObject({ code: 'SLUICE_COST' });
      await expect(limiter[verb](undefined as unknown as string)).rejects.toMatchObject({ code: 'SLUICE_KEY' });
    }
  });

  it('decides as over a synchronous store', async () => {
    const later = createLimiter({ ...ten, store: new AsyncStore() });
    const atOnce = createLimiter(ten);
    for (const cost of [3, 7, 1]) {
      const { verdicts, allowed } = await later.consume('ann', { cost });
      expect({ allowed, remaining: verdicts[0]?.remaining }).toEqual({
        allowed: atOnce.peek('ann', { cost }).allowed,
        remaining: atOnce.consume('ann', { cost }).tightest.remaining,
      });
    }
  });
});
