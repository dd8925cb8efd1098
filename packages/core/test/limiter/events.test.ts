import nodeCrypto from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { concurrency, createLimiter, type SluiceEvents, slidingWindow, subscribe } from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { settled } from '@sluice/test-kit/manual-store';
import { FragileStore } from './fragile-store.js';

const stops: (() => void)[] = [];

function heard<E extends keyof SluiceEvents>(event: E): SluiceEvents[E][] {
  const messages: SluiceEvents[E][] = [];
  stops.push(subscribe(event, (message) => messages.push(message)));
  return messages;
}

function heardOnce(): SluiceEvents['sluice:decision'][] {
  const messages = heard('sluice:decision');
  createLimiter({ limit: 9, window: '1m' }).consume('ann');
  return messages;
}

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

it.each(['sluice:decisions', 'toString', undefined, 7])('Nobody can listen to an unknown event: %p', (event) => {
  expect(() => subscribe(event as never, () => {})).toThrow(
    expect.objectContaining({
      code: 'SLUICE_OPTION',
      path: 'event',
      message: expect.stringContaining('event must be one of sluice:decision, sluice:skipped, '),
    }),
  );
  expect(() => subscribe('sluice:decision', 'listener' as never)).toThrow('listener must be a function');
});

describe('sluice:decision', () => {
  it('reports every decision about a request, allowed or refused; in memory none has to wait', () => {
    const limiter = createLimiter({ name: 'api', limit: 1, window: '1m' });
    const messages = heard('sluice:decision');
    const allowed = limiter.consume('ann');
    const refused = limiter.reserve('ann');
    expect(messages.map(({ decision }) => decision)).toEqual([allowed, refused]);
    for (const { durationMs } of messages) expect(durationMs).toBe(0);
  });

  it('has the duration of whatever may have to wait: for a store, or for a key', async () => {
    const messages = heard('sluice:decision');
    await createLimiter({ limit: 9, window: '1m', store: new AsyncStore() }).consume('ann');
    await createLimiter({ limit: 9, window: '1m', keyGenerator: async (name: string) => name }).consume('ann');
    expect(messages.map(({ durationMs }) => durationMs > 0)).toEqual([true, true]);
  });

  it('also reports asynchronous decisions', async () => {
    const messages = heard('sluice:decision');
    const decision = await createLimiter({ limit: 1, window: '1m', store: new AsyncStore() }).consume('ann');
    expect(messages).toMatchObject([{ decision: { policy: 'default', allowed: true } }]);
    expect(messages[0]?.decision).toBe(decision);
  });

  it('reports one decision for a request that waits with maxWait', async () => {
    const messages = heard('sluice:decision');
    await createLimiter({ limit: 1, window: '1m' }).wait('ann', { maxWait: '1s' });
    expect(messages).toHaveLength(1);
  });

  it('has one key for each limit, hashed: the same for the same key, and never the key', () => {
    const limiter = createLimiter({
      limits: [slidingWindow({ limit: 9, window: '1m' }), { limit: 9, window: '1h', keyGenerator: () => 'everybody' }],
    });
    const messages = heard('sluice:decision');
    limiter.consume('secret-api-key');
    limiter.consume('secret-api-key');
    limiter.consume('another');
    const [first, second, third] = messages.map(({ keys }) => keys);
    expect(first).toHaveLength(2);
    expect(second).toEqual(first);
    expect(third?.[0]).not.toBe(first?.[0]);
    expect(third?.[1]).toBe(first?.[1]);
    expect(JSON.stringify(messages)).not.toMatch(/secret-api-key|everybody/);
  });

  it('is the decision that the caller gets, also that of a reservation', () => {
    const messages = heard('sluice:decision');
    const limiter = createLimiter({ limit: 9, window: '1m' });
    const results = [limiter.consume('ann'), limiter.reserve('ann'), limiter.consume('ann', { cost: 2 })];
    expect(messages.map(({ decision }) => decision === results.shift())).toEqual([true, true, true]);
  });

  it('names the same key whether requests may be skipped or not', () => {
    const messages = heard('sluice:decision');
    createLimiter({ limit: 9, window: '1m' }).consume('ann');
    createLimiter({ limit: 9, window: '1m', skip: () => false }).consume('ann');
    expect(messages[0]?.keys).toHaveLength(1);
    expect(messages[0]?.keys).toEqual(messages[1]?.keys);
  });

  it('has its keys in JSON, too', () => {
    const [message] = heardOnce();
    expect(JSON.parse(JSON.stringify(message))).toMatchObject({
      keys: message?.keys,
      durationMs: message?.durationMs,
      decision: { policy: 'default' },
    });
  });

  it('returns the same list of keys each time, long after the decision', () => {
    const [message] = heardOnce();
    const { keys } = message as SluiceEvents['sluice:decision'];
    createLimiter({ limit: 9, window: '1m' }).consume('bob');
    expect(message?.keys).toBe(keys);
  });

  it('hashes keys for listeners that read them, and for no others', async () => {
    const hash = jest.spyOn(nodeCrypto, 'hash');
    stops.push(() => hash.mockRestore());
    // Loaded anew, because a module takes the functions of Node when it is loaded.
    jest.resetModules();
    const { createLimiter, subscribe } = await import('@sluice/core');
    const limiter = createLimiter({ limit: 9, window: '1m' });
    // The memory store hashes the names of the limit.
    hash.mockClear();
    let read = 0;
    stops.push(subscribe('sluice:decision', ({ decision }) => (read += decision.verdicts.length)));
    limiter.consume('ann');
    expect([read, hash.mock.calls.length]).toEqual([1, 0]);
    stops.push(subscribe('sluice:decision', ({ keys }) => (read += keys.length)));
    limiter.consume('ann');
    expect([read, hash.mock.calls.length]).toEqual([3, 1]);
  });

  it('reports no peeks, skipped requests, mistakes, refunds and resets', () => {
    const limiter = createLimiter({ limit: 1, window: '1m', skip: (subject: string) => subject === 'skipped' });
    const messages = heard('sluice:decision');
    limiter.peek('ann');
    limiter.consume('skipped');
    expect(() => limiter.consume('ann', { cost: -1 })).toThrow();
    limiter.charge('ann');
    limiter.refund('ann');
    limiter.reset('ann');
    expect(messages).toEqual([]);
  });
});

describe('sluice:skipped', () => {
  const limiter = createLimiter({
    name: 'api',
    limit: 1,
    window: '1m',
    skip: (subject: string) => subject === 'skipped',
  });

  it('reports once each request that skip names, however it asks', async () => {
    const messages = heard('sluice:skipped');
    limiter.consume('skipped');
    limiter.reserve('skipped');
    limiter.reserve('skipped', { cost: 2 });
    await limiter.wait('skipped');
    await limiter.wait('skipped', { maxWait: '1s' });
    expect(messages).toEqual(Array.from({ length: 5 }, () => ({ policy: 'api', reason: 'skip' })));
  });

  it('reports once a request that skip names while it waits, in any store', async () => {
    for (const store of [new FragileStore('by rejecting'), new FragileStore('by throwing')]) {
      let isSkipped = false;
      const jobs = createLimiter({ name: 'jobs', limit: 1, window: '1m', store, skip: () => isSkipped });
      const messages = heard('sluice:skipped');
      await jobs.consume('ann');
      const turn = jobs.wait('ann');
      await settled();
      isSkipped = true;
      store.clock.advance('1m');
      expect((await turn).allowed).toBe(true);
      expect(messages).toEqual([{ policy: 'jobs', reason: 'skip' }]);
    }
  });

  it('reports no peeks, changes and counted requests', () => {
    const messages = heard('sluice:skipped');
    limiter.peek('skipped');
    limiter.charge('skipped');
    limiter.refund('skipped');
    limiter.inspect('skipped');
    limiter.consume('ann');
    expect(messages).toEqual([]);
  });
});

describe('sluice:store-error', () => {
  it('reports a slot that could not be renewed, and the next third tries again', async () => {
    const store = new FragileStore('by rejecting');
    const limiter = createLimiter({ name: 'sessions', limit: concurrency({ limit: 1, lease: '30s' }), store });
    await limiter.reserve('ann');
    const messages = heard('sluice:store-error');
    const failure = new Error('connection lost');
    store.failure = failure;
    store.clock.advance('10s');
    await settled();
    expect(messages).toEqual([{ error: failure, policy: 'sessions', source: 'store' }]);
    store.failure = undefined;
    store.clock.advance('10s');
    await settled();
    store.clock.advance('29s');
    expect((await limiter.peek('ann')).allowed).toBe(false);
    expect(messages).toHaveLength(1);
  });
});

describe('subscribe', () => {
  it('returns a function that stops listening', () => {
    const limiter = createLimiter({ limit: 9, window: '1m' });
    const messages: unknown[] = [];
    const stop = subscribe('sluice:decision', (message) => messages.push(message));
    limiter.consume('ann');
    stop();
    limiter.consume('ann');
    expect(messages).toHaveLength(1);
  });

  it("listens to Node's own channel of that name", () => {
    const messages: unknown[] = [];
    const listener = (message: unknown): number => messages.push(message);
    channel('sluice:decision').subscribe(listener);
    createLimiter({ limit: 9, window: '1m' }).consume('ann');
    channel('sluice:decision').unsubscribe(listener);
    expect(messages).toMatchObject([{ decision: { allowed: true } }]);
  });

  it('gets only its own event', () => {
    const messages = heard('sluice:breaker');
    createLimiter({ limit: 9, window: '1m' }).consume('ann');
    expect(messages).toEqual([]);
  });
});

describe('Without a subscriber', () => {
  it('no message is made', () => {
    const decisions = channel('sluice:decision');
    const published: unknown[] = [];
    decisions.publish = (message) => published.push(message);
    createLimiter({ limit: 9, window: '1m' }).consume('ann');
    // Deleted, not restored: the channel outlives this file, and gets another `publish` when somebody listens.
    Reflect.deleteProperty(decisions, 'publish');
    expect(published).toEqual([]);
  });
});
