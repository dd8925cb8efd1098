import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import {
  type Consumed,
  createLimiter,
  fixedWindow,
  type Limiter,
  MemoryStore,
  type Store,
  type StoreRequest,
  type StoreResponse,
  slidingWindow,
} from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';
import { systemClock } from '../../src/values/clock.js';
import { Deferred } from '../../src/values/deferred.js';
import { isPromise } from '../../src/values/eventual.js';

const OPTIONS = { limit: 5, window: '1h' } as const;
const LIMIT = slidingWindow({ limit: 1000, window: '1h' });
const ASK: StoreRequest = { checks: [{ policy: 'p', name: 'n', key: 'ann', limit: LIMIT, cost: 1 }] };

describe('A limiter over a memory store', () => {
  it.each([
    ['one limit', OPTIONS],
    ['a limit that a function chooses', { limit: () => 5, window: '1h' }],
    ['several limits', { limits: [OPTIONS, { limit: 9, window: '1d' }] }],
    ['a calendar', { limit: fixedWindow({ limit: 5, window: { unit: 'hour', timeZone: 'UTC' } }) }],
    ['a margin', { ...OPTIONS, tolerance: 0.5 }],
    ['a limit for some keys', { ...OPTIONS, enforce: 0.5 }],
    ['requests to skip', { ...OPTIONS, skip: (who: string) => who === 'bob' }],
  ] as const)('answers without a promise, by %s', (_, options) => {
    const limiter = createLimiter<string, false>({ ...options, store: new MemoryStore() } as never);
    const answers = [
      limiter.consume('ann'),
      limiter.consume('ann', { cost: 2 }),
      limiter.consume('ann', { id: 'one' }),
      limiter.peek('ann'),
      limiter.reserve('bob'),
      limiter.charge('ann'),
      limiter.refund('ann'),
    ];
    expect(answers.map((answer) => [isPromise(answer), answer.source])).toEqual(answers.map(() => [false, 'store']));
  });
});

/** A limiter over an asynchronous store, of which only `consume` is told. */
function limiterOver(consume: (ask: StoreRequest) => Consumed<true>): Limiter<string, true> {
  const memory = new MemoryStore();
  const { clock, supports } = memory;
  const store = {
    async: true,
    clock,
    supports,
    consume,
    adjust() {},
    reset() {},
    close() {},
  } as unknown as Store<true>;
  return createLimiter<string, true>({ ...OPTIONS, store, onStoreError: 'deny' });
}

describe('An asynchronous store', () => {
  const memory = new MemoryStore();
  const error = new Error('broken');

  it.each([
    ['the reply', (ask: StoreRequest): Consumed<true> => memory.consume(ask)],
    ['a promise', async (ask: StoreRequest) => memory.consume(ask)],
    [
      'a deferred reply that is there',
      (ask: StoreRequest) => {
        const reply = new Deferred<StoreResponse>();
        reply.resolve(memory.consume(ask));
        return reply;
      },
    ],
    [
      'a deferred reply that comes later',
      (ask: StoreRequest) => {
        const reply = new Deferred<StoreResponse>();
        setImmediate(() => reply.resolve(memory.consume(ask)));
        return reply;
      },
    ],
  ])('may return %s', async (_, consume) => {
    const asked: StoreRequest[] = [];
    const limiter = limiterOver((ask) => {
      asked.push(ask);
      return consume(ask);
    });
    const decision = limiter.consume('ann');
    expect(decision).toBeInstanceOf(Promise);
    expect(await decision).toMatchObject({ allowed: true, source: 'store' });
    expect(asked).toHaveLength(1);
  });

  it.each([
    [
      'throws',
      (): Consumed<true> => {
        throw error;
      },
    ],
    ['rejects', () => Promise.reject(error)],
    [
      'rejects at once by a deferred reply',
      () => {
        const reply = new Deferred<StoreResponse>();
        reply.reject(error);
        return reply;
      },
    ],
  ])('has failed if it %s', async (_, consume) => {
    const limiter = limiterOver(consume);
    for (const decided of [limiter.consume('ann'), limiter.reserve('ann'), limiter.peek('ann')]) {
      expect(decided).toBeInstanceOf(Promise);
      expect(await decided).toMatchObject({ allowed: false, source: 'deny' });
    }
  });
});

class OverridingLeased extends LeasedStore {
  readonly asked: StoreRequest[] = [];

  override consume(ask: StoreRequest): Consumed<true> {
    this.asked.push(ask);
    return super.consume(ask);
  }
}

class OverridingSynced extends SyncedStore {
  readonly asked: StoreRequest[] = [];

  override consume(ask: StoreRequest): Consumed<true> {
    this.asked.push(ask);
    return super.consume(ask);
  }
}

describe.each([
  ['leased', LeasedStore, OverridingLeased],
  ['synced', SyncedStore, OverridingSynced],
])('A store in front of others: %s', (_, Front, Overriding) => {
  const newStore = () => new Front({ store: new RemoteMemory(systemClock, 5000) });

  it('returns the reply itself if this process can decide', async () => {
    const store = newStore();
    for (let i = 0; i < 20; i += 1) await store.consume(ASK);
    const reply = store.consume(ASK);
    expect(isPromise(reply)).toBe(false);
    expect((reply as StoreResponse).verdicts[0]).toMatchObject({ allowed: true });
    await store.close();
    await expect(store.consume(ASK)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('is asked by its consume where that was replaced, or overridden by a class', async () => {
    const asked: StoreRequest[] = [];
    const store = newStore();
    const limiter = createLimiter<string, true>({ ...OPTIONS, store });
    const { consume } = store;
    store.consume = (ask) => {
      asked.push(ask);
      return consume.call(store, ask);
    };
    await limiter.consume('ann');
    expect(asked).toHaveLength(1);

    const overriding = new Overriding({ store: new RemoteMemory(systemClock, 5000) });
    await createLimiter<string, true>({ ...OPTIONS, store: overriding }).consume('ann');
    expect(overriding.asked).toHaveLength(1);
    await Promise.all([store.close(), overriding.close()]);
  });
});
