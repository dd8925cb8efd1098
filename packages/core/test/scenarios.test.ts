import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  boundOf,
  concurrency,
  createLimiter,
  type Decision,
  fixedWindow,
  type Limit,
  leakyBucket,
  MemoryStore,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { ManualClock } from '../src/testing/manual-clock.js';

let clock: ManualClock;
let store: MemoryStore;

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore({ clock });
});

/** Returns the responses to this many requests that come at once. */
function answers(count: number, request: () => Decision): boolean[] {
  return Array.from({ length: count }, () => request().allowed);
}

const admitted = (all: readonly boolean[]): number => all.filter(Boolean).length;

/** Moves the clock to a time in the first minutes after its start. */
function clockAt(startMs: number): (time: string) => void {
  return (time) => {
    const [minutes = 0, seconds = 0] = time.split(':').map(Number);
    clock.set(startMs + (minutes * 60 + seconds) * 1000);
  };
}

/** Returns when waiting requests reach the handler, in milliseconds from now. Refused requests never reach it. */
async function handled(limit: Limit, count: number): Promise<{ startsMs: number[]; refusedAtMs: number[] }> {
  const limiter = createLimiter({ limit, store });
  const startMs = clock.now();
  const [startsMs, refusedAtMs]: [number[], number[]] = [[], []];
  for (let i = 0; i < count; i += 1) {
    const { allowed, delayMs } = limiter.consume('ann');
    const atMs = clock.now() - startMs;
    if (allowed) clock.sleep(delayMs).then(() => startsMs.push(clock.now() - startMs));
    else refusedAtMs.push(atMs);
  }
  await new Promise(setImmediate);
  for (let i = 0; i < 50; i += 1) {
    clock.advance('100ms');
    await new Promise(setImmediate);
  }
  return { startsMs, refusedAtMs };
}

describe('A token bucket', () => {
  it('A1 of capacity 3 that refills 1/s lets three requests pass and refuses the fourth', () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 3, refillRate: 1 }), store });
    expect(answers(4, () => limiter.consume('ann'))).toEqual([true, true, true, false]);
  });

  it('A2 gives two addresses separate buckets', () => {
    const limiter = createLimiter({
      limit: tokenBucket({ capacity: 1, refillRate: 1 }),
      keyGenerator: ({ ip }: { ip: string }) => ['ip', ip],
      store,
    });
    expect(answers(2, () => limiter.consume({ ip: '203.0.113.1' }))).toEqual([true, false]);
    expect(answers(2, () => limiter.consume({ ip: '203.0.113.2' }))).toEqual([true, false]);
  });

  it('A3 of capacity 1 that refills 10/s refuses at once and admits again after 100 ms', () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 1, refillRate: 10 }), store });
    expect(limiter.consume('ann').allowed).toBe(true);
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 100 });
    clock.advance('99ms');
    expect(limiter.consume('ann').allowed).toBe(false);
    clock.advance('1ms');
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('A4 of capacity 50 that never refills lets 50 parallel requests pass, and never the 51st', async () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 50, refillRate: 0 }), store });
    const all = await Promise.all(Array.from({ length: 50 }, async () => limiter.consume('ann').allowed));
    expect(admitted(all)).toBe(50);
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 'never' });
    clock.advance('29d');
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 'never' });
  });

  it('A5 by an API key gives requests without a key a separate bucket', () => {
    const limiter = createLimiter({
      limit: tokenBucket({ capacity: 1, refillRate: 0 }),
      keyGenerator: (headers: { 'api-key'?: string }) => {
        const key = headers['api-key'];
        return key === undefined ? ['anonymous'] : ['api-key', key];
      },
      store,
    });
    expect(answers(2, () => limiter.consume({ 'api-key': 'anonymous' }))).toEqual([true, false]);
    expect(answers(2, () => limiter.consume({ 'api-key': 'other' }))).toEqual([true, false]);
    expect(answers(2, () => limiter.consume({}))).toEqual([true, false]);
  });

  it('A6 of capacity 100 that refills 10/s lets 100 at once pass, and not the next', () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 100, refillRate: 10 }), store });
    expect(admitted(answers(101, () => limiter.consume('ann')))).toBe(100);
    expect(limiter.consume('ann').retryAfterMs).toBe(100);
  });

  it('A7 of capacity 10 that never refills lets two requests of cost 5 pass, and not the third', () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 10, refillRate: 0 }), cost: 5, store });
    expect(answers(3, () => limiter.consume('ann'))).toEqual([true, true, false]);
  });

  it('A8 never counts skipped requests', () => {
    const limiter = createLimiter({
      limit: tokenBucket({ capacity: 1, refillRate: 0 }),
      keyGenerator: () => 'everybody',
      skip: (path: string) => path === '/health',
      store,
    });
    expect(admitted(answers(10, () => limiter.consume('/health')))).toBe(10);
    expect(answers(2, () => limiter.consume('/'))).toEqual([true, false]);
    expect(limiter.consume('/health').allowed).toBe(true);
  });
});

describe('A leaky bucket', () => {
  it('A9 of capacity 3 admits three at once', () => {
    const limiter = createLimiter({ limit: leakyBucket({ capacity: 3, leakRate: 1 }), store });
    expect(answers(3, () => limiter.consume('ann'))).toEqual([true, true, true]);
  });

  it('A10 of capacity 2 that leaks 1/s admits two of three at once, and refuses the third at once', async () => {
    const { startsMs, refusedAtMs } = await handled(leakyBucket({ capacity: 2, leakRate: 1 }), 3);
    expect({ startsMs, refusedAtMs }).toEqual({ startsMs: [0, 1000], refusedAtMs: [0] });
  });

  it('A11 gives two addresses separate queues', () => {
    const limiter = createLimiter({ limit: leakyBucket({ capacity: 2, leakRate: 1 }), store });
    expect([limiter.consume('203.0.113.1').delayMs, limiter.consume('203.0.113.1').delayMs]).toEqual([0, 1000]);
    expect([limiter.consume('203.0.113.2').delayMs, limiter.consume('203.0.113.2').delayMs]).toEqual([0, 1000]);
  });

  it('A12 that leaks 5/s starts handlers 200 ms apart', async () => {
    const { startsMs } = await handled(leakyBucket({ capacity: 10, leakRate: 5 }), 4);
    expect(startsMs).toEqual([0, 200, 400, 600]);
  });

  it('A13 that leaks 2/s starts five that came at once 500 ms apart', async () => {
    const { startsMs } = await handled(leakyBucket({ capacity: 5, leakRate: 2 }), 5);
    expect(startsMs).toEqual([0, 500, 1000, 1500, 2000]);
  });

  it('A14 of capacity 1 refuses the second of two at once, and not the other key', () => {
    const limiter = createLimiter({
      limit: leakyBucket({ capacity: 1, leakRate: 1 }),
      keyGenerator: ({ apiKey }: { apiKey: string }) => ['api-key', apiKey],
      store,
    });
    expect(answers(2, () => limiter.consume({ apiKey: 'one' }))).toEqual([true, false]);
    expect(answers(1, () => limiter.consume({ apiKey: 'two' }))).toEqual([true]);
  });

  it('A15 gives a refusal enough data for a custom response', () => {
    const limiter = createLimiter({
      name: 'orders',
      limit: leakyBucket({ capacity: 1, leakRate: 0.5 }),
      keyGenerator: ({ ip }: { ip: string; path: string }) => ip,
      store,
    });
    const request = { ip: '203.0.113.1', path: '/orders' };
    limiter.consume(request);
    const { allowed, policy, retryAfterMs } = limiter.consume(request);
    const body = allowed ? undefined : `${request.path} (${policy}) has room in ${retryAfterMs} ms`;
    expect(body).toBe('/orders (orders) has room in 2000 ms');
  });

  it('A16 counts every method in one queue', () => {
    const limiter = createLimiter({
      limit: leakyBucket({ capacity: 5, leakRate: 1 }),
      keyGenerator: ({ ip }: { ip: string; method: string }) => ip,
      store,
    });
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
    const delays = methods.map((method) => limiter.consume({ ip: '203.0.113.1', method }).delayMs);
    expect(delays).toEqual([0, 1000, 2000, 3000, 4000]);
  });

  it('A17 never lets a client that goes away while it waits reach the handler', async () => {
    const limiter = createLimiter({ limit: leakyBucket({ capacity: 5, leakRate: 1 }), store });
    const reached: string[] = [];
    const handle = async (client: string, signal?: AbortSignal): Promise<void> => {
      await limiter.wait('ann', signal && { signal });
      reached.push(client);
    };
    const gone = new AbortController();
    const first = handle('first');
    const second = handle('second', gone.signal);
    const third = handle('third');
    // The first of the line asks for all who wait behind it.
    await clock.untilSleeping(1);
    gone.abort(new Error('the connection was closed'));
    await expect(second).rejects.toThrow('the connection was closed');
    clock.advance('2s');
    await Promise.all([first, third]);
    expect(reached).toEqual(['first', 'third']);
  });
});

describe('A fixed window', () => {
  it('A18 of 10 in 5 s refuses the eleventh', () => {
    const limiter = createLimiter({ limit: fixedWindow({ limit: 10, window: '5s' }), store });
    expect(admitted(answers(10, () => limiter.consume('ann')))).toBe(10);
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 5000 });
    clock.advance('5s');
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('A19 lets twice the limit pass around its edge, which is its bound', () => {
    const limit = fixedWindow({ limit: 10, window: '5s', align: 'clock' });
    const limiter = createLimiter({ limit, store });
    clock.advance('4900ms');
    const before = admitted(answers(20, () => limiter.consume('ann')));
    clock.advance('100ms');
    const after = admitted(answers(20, () => limiter.consume('ann')));
    expect([before, after]).toEqual([10, 10]);
    expect(boundOf(limit, '5s')).toBe(before + after);
  });

  it('A20 is exact under 50 parallel requests', async () => {
    const limiter = createLimiter({ limit: fixedWindow({ limit: 10, window: '5s' }), store });
    const all = await Promise.all(Array.from({ length: 50 }, async () => limiter.consume('ann').allowed));
    expect(admitted(all)).toBe(10);
  });
});

describe('A sliding window log', () => {
  it('A21 refuses the burst around an edge', () => {
    const limit = slidingWindowLog({ limit: 10, window: '5s' });
    const limiter = createLimiter({ limit, store });
    clock.advance('4900ms');
    const before = admitted(answers(20, () => limiter.consume('ann')));
    clock.advance('100ms');
    const after = admitted(answers(20, () => limiter.consume('ann')));
    expect([before, after, boundOf(limit, '5s')]).toEqual([10, 0, 10]);
  });

  it('A22 with 2 per minute and requests at 0:01 and 0:30 refuses at 0:40, and admits at 1:30', () => {
    const at = clockAt(clock.now());
    const limiter = createLimiter({ limit: slidingWindowLog({ limit: 2, window: '1m' }), store });
    const results = ['0:01', '0:30', '0:40', '1:30'].map((time) => {
      at(time);
      return limiter.consume('ann').allowed;
    });
    expect(results).toEqual([true, true, false, true]);
  });

  it.each([
    [false, true],
    [true, false],
  ])('A22 with countRejected %p finds room for two at 1:30: %p', (countRejected, allowed) => {
    const at = clockAt(clock.now());
    const limiter = createLimiter({ limit: slidingWindowLog({ limit: 2, window: '1m', countRejected }), store });
    for (const time of ['0:01', '0:30', '0:40']) {
      at(time);
      limiter.consume('ann');
    }
    at('1:30');
    // The refused one of 0:40 counts until 1:40.
    const retryAfterMs = countRejected ? 10_000 : 0;
    expect(limiter.consume('ann', { cost: 2 })).toMatchObject({ allowed, retryAfterMs });
  });
});

describe('A sliding window counter', () => {
  it('A23 with 4 before and 3 now, half-way, of 5, refuses', () => {
    const at = clockAt(clock.now());
    const limiter = createLimiter({ limit: slidingWindowCounter({ limit: 5, window: '1m' }), store });
    expect(limiter.consume('ann', { cost: 4 }).allowed).toBe(true);
    at('1:30');
    expect(answers(4, () => limiter.consume('ann'))).toEqual([true, true, true, false]);
    expect(limiter.peek('ann').tightest.remaining).toBe(0);
  });

  it('A24 with 80 before and 30 now, a quarter into the window, of 100, estimates 90 and admits', () => {
    const at = clockAt(clock.now());
    const limiter = createLimiter({ limit: slidingWindowCounter({ limit: 100, window: '1m' }), store });
    expect(limiter.consume('ann', { cost: 80 }).allowed).toBe(true);
    at('1:15');
    expect(limiter.consume('ann', { cost: 30 }).allowed).toBe(true);
    expect(100 - limiter.peek('ann').tightest.remaining).toBe(90);
    expect(limiter.consume('ann').allowed).toBe(true);
  });
});

describe('Throttling', () => {
  const hard: readonly [what: string, limit: Limit][] = [
    ['a sliding window', slidingWindow({ limit: 100, window: '1m' })],
    ['a sliding window log', slidingWindowLog({ limit: 100, window: '1m' })],
    ['a sliding window counter', slidingWindowCounter({ limit: 100, window: '1m' })],
    ['a fixed window', fixedWindow({ limit: 100, window: '1m' })],
    ['a token bucket', tokenBucket({ capacity: 100, refillRate: 1 })],
    ['a leaky bucket', leakyBucket({ capacity: 100, leakRate: 1 })],
  ];

  it.each(hard)('A26 is hard: not one passes above the limit of %s', (_, limit) => {
    const limiter = createLimiter({ limit, store });
    expect(admitted(answers(1000, () => limiter.consume('ann')))).toBe(100);
  });

  it.each(hard)('A27 with a tolerance of a tenth admits exactly 110 of %s', (_, limit) => {
    const limiter = createLimiter({ limit, tolerance: 0.1, store });
    expect(admitted(answers(1000, () => limiter.consume('ann')))).toBe(110);
  });

  it('A26 is hard in every window of the default algorithm, wherever it is laid', () => {
    const limiter = createLimiter({ limit: 100, window: '1m', store });
    const admissionsMs: number[] = [];
    for (let i = 0; i < 3000; i += 1) {
      if (limiter.consume('ann').allowed) admissionsMs.push(clock.now());
      clock.advance('97ms');
    }
    const inWindow = admissionsMs.map((startMs) => admissionsMs.filter((ms) => ms >= startMs && ms < startMs + 60_000));
    expect(Math.max(...inWindow.map(({ length }) => length))).toBe(100);
  });

  it('A29 counts users by id, API key and address, each separately', () => {
    interface Request {
      readonly id: string;
      readonly apiKey: string;
      readonly ip: string;
    }
    const per = (name: string, limit: number, keyGenerator: (request: Request) => string[]) => ({
      name,
      limit,
      window: '1m' as const,
      keyGenerator,
    });
    const limiter = createLimiter({
      limits: [
        per('user', 3, ({ id }) => ['user', id]),
        per('key', 4, ({ apiKey }) => ['api-key', apiKey]),
        per('address', 5, ({ ip }) => ['ip', ip]),
      ],
      store,
    });
    const refusedBy = (request: Request): string[] =>
      limiter.consume(request).verdicts.flatMap(({ name, allowed }) => (allowed ? [] : [name]));
    const ann = { id: 'ann', apiKey: 'k1', ip: '203.0.113.1' };
    expect([1, 2, 3, 4].map(() => refusedBy(ann))).toEqual([[], [], [], ['user']]);
    expect([1, 2].map(() => refusedBy({ ...ann, id: 'bob' }))).toEqual([[], ['key']]);
    expect([1, 2].map(() => refusedBy({ ...ann, id: 'cyd', apiKey: 'k2' }))).toEqual([[], ['address']]);
    expect(refusedBy({ id: 'cyd', apiKey: 'k2', ip: '203.0.113.2' })).toEqual([]);
  });

  it('A29 limits the concurrent sessions of a user, crashed ones included', () => {
    const limiter = createLimiter({ limit: concurrency({ limit: 2, lease: '30s' }), store });
    const sessions = [limiter.reserve('ann'), limiter.reserve('ann')];
    expect(sessions.map(({ allowed }) => allowed)).toEqual([true, true]);
    expect(limiter.reserve('ann').allowed).toBe(false);
    expect(limiter.reserve('bob').allowed).toBe(true);
    sessions[0]?.settle();
    const crashed = {
      policy: 'default',
      name: 'concurrency',
      key: 'ann',
      limit: concurrency({ limit: 2, lease: '30s' }),
      cost: 1,
    };
    expect(store.consume({ checks: [crashed], id: 'another process' }).allowed).toBe(true);
    expect(limiter.reserve('ann').allowed).toBe(false);
    sessions[1]?.settle();
    clock.advance('30s');
    expect(limiter.peek('ann').tightest.remaining).toBe(2);
  });
});
