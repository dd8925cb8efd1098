import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type Limiter, slidingWindow, slidingWindowLog } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

type Instance = Limiter<string, true>;

let server: RedisServer;
let clients: Redis[];
let clock: ManualClock;
let stores: RedisStore[];

beforeAll(async () => {
  server = await RedisServer.start();
  clients = [new Redis(server.port), new Redis(server.port)];
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.quit()));
  await server.stop();
});

beforeEach(async () => {
  clock = new ManualClock();
  stores = [];
  await clients[0]?.flushall();
});

afterEach(() => Promise.all(stores.map((store) => store.close())));

/** Limiters of one policy, each on a connection and a store of its own, as in two instances of an application. */
function instances(limiterOver: (store: RedisStore) => Instance): Instance[] {
  // Every decision has to come from Redis, however slow this machine is.
  stores = clients.map((client) => new RedisStore({ client, clock, timeout: '30s' }));
  return stores.map(limiterOver);
}

const admitted = (answers: readonly { readonly allowed: boolean }[]): number =>
  answers.filter(({ allowed }) => allowed).length;

/** Requests that are under way together, spread over the limiters. */
function together(limiters: readonly Instance[], count: number) {
  return Promise.all(
    Array.from({ length: count }, (_, i) => (limiters[i % limiters.length] as Instance).consume('ann')),
  );
}

describe('A rolling limiter for notifications: ten a minute and three seconds between two, over several workers', () => {
  const APART = slidingWindow({ name: 'apart', limit: 1, window: '3s', countRejected: true });
  const policy = {
    limits: [slidingWindow({ name: 'a-minute', limit: 10, window: '1m', countRejected: true }), APART],
  };

  it('admits ten that come three seconds apart, whichever worker asks, and the eleventh when the first is a minute old', async () => {
    const workers = instances((store) => createLimiter({ ...policy, store }));
    for (let i = 0; i < 10; i += 1) {
      const decision = await workers[i % 2]?.consume('ann');
      expect(decision?.allowed).toBe(true);
      clock.advance('3s');
    }
    const eleventh = await workers[0]?.peek('ann');
    expect(eleventh).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
    clock.advance('30s');
    expect((await workers[1]?.consume('ann'))?.allowed).toBe(true);
  });

  it('refuses an early request at another worker, and counts it on both limits', async () => {
    const workers = instances((store) => createLimiter({ ...policy, store }));
    await workers[0]?.consume('ann');
    clock.advance('1s');
    const tooSoon = await workers[1]?.consume('ann');
    expect(tooSoon).toMatchObject({ allowed: false, retryAfterMs: 3000 });
    expect(tooSoon?.verdicts.map(({ remaining }) => remaining)).toEqual([8, 0]);
    clock.advance('2999ms');
    expect((await workers[0]?.peek('ann'))?.allowed).toBe(false);
    clock.advance('1ms');
    const next = await workers[1]?.consume('ann');
    expect(next?.allowed).toBe(true);
    expect(next?.verdicts.map(({ remaining }) => remaining)).toEqual([7, 0]);
  });

  it('admits one of many simultaneous requests', async () => {
    expect(
      admitted(
        await together(
          instances((store) => createLimiter({ limit: APART, store })),
          40,
        ),
      ),
    ).toBe(1);
  });
});

describe('The race that admits an eleventh request under a limit of ten', () => {
  const [LIMIT, WINDOW] = [10, '1m'] as const;

  it('happens to counters that are read first and written then', async () => {
    const [first, second] = clients as [Redis, Redis];
    await first.set('count', LIMIT - 1);
    // Both read before either writes, and both find room.
    expect(await Promise.all([first.get('count'), second.get('count')])).toEqual(['9', '9']);
    await Promise.all([first.incr('count'), second.incr('count')]);
    expect(await first.get('count')).toBe('11');
  });

  it.each([
    ['a fixed window', fixedWindow({ limit: LIMIT, window: WINDOW })],
    ['a sliding window log', slidingWindowLog({ limit: LIMIT, window: WINDOW })],
    ['a sliding window', slidingWindow({ limit: LIMIT, window: WINDOW })],
  ])('cannot happen to %s', async (_, limit) => {
    const limiters = instances((store) => createLimiter({ limit, store }));
    for (let i = 1; i < LIMIT; i += 1) await limiters[0]?.consume('ann');
    expect(admitted(await together(limiters, 50))).toBe(1);
  });
});

describe('Two instances with one Redis', () => {
  it('share exactly one limit', async () => {
    const limiters = instances((store) => createLimiter({ limit: 100, window: '1m', store }));
    expect(admitted(await together(limiters, 400))).toBe(100);
    for (const limiter of limiters) {
      expect(await limiter.peek('ann')).toMatchObject({ allowed: false, tightest: { remaining: 0 } });
      expect((await limiter.peek('ben')).tightest.remaining).toBe(100);
    }
  });

  it('see units that the other spends, gives back and resets', async () => {
    const [one, two] = instances((store) => createLimiter({ limit: 5, window: '1m', store })) as [Instance, Instance];
    const reservation = await one.reserve('ann', { cost: 4 });
    expect((await two.peek('ann')).tightest.remaining).toBe(1);
    await reservation.settle(2);
    expect((await two.peek('ann')).tightest.remaining).toBe(3);
    await two.charge('ann', { cost: 3 });
    expect((await one.consume('ann')).allowed).toBe(false);
    await two.reset('ann');
    // Refusals are remembered for a tenth of a second, but where they are lifted.
    expect((await two.consume('ann')).tightest.remaining).toBe(4);
    clock.advance(100);
    expect((await one.consume('ann')).tightest.remaining).toBe(3);
  });
});
