import '@sluice/core/calendars';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  type LimitCheck,
  type StoreRequest,
  slidingWindow,
  slidingWindowLog,
} from '@sluice/core';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Redis } from 'ioredis';
import { type IoredisClient, RedisStore } from '../src/index.js';
import { MAX_SIZE } from '../src/scripted-request.js';
import { type Between, clientOver } from './client-over.js';
import { EVERY_LIMIT } from './every-limit.js';

let client: Redis;
/** What was called, with its arguments, by `watched`. */
let calls: { readonly command: string; readonly keys: readonly string[] }[];
let watched: IoredisClient;
let store: RedisStore;

withRedis((started) => {
  client = started;
});

beforeEach(async () => {
  await client.config('SET', 'maxmemory', '0');
  await client.flushall();
  calls = [];
  watched = watching(false);
  store = new RedisStore({ client: watched, timeout: '10s' });
  await store.consume({ checks: [check('warm')] });
  calls = [];
});

function watching(isCluster: boolean): IoredisClient {
  const noting: Between = (command, args, send) => {
    const keys = command.startsWith('EVAL') ? args.slice(2, 2 + Number(args[1])) : args;
    calls.push({ command, keys: keys.map(String) });
    return send(command, args);
  };
  return clientOver(client, noting, { isCluster });
}

const FIVE = fixedWindow({ limit: 5, window: '1h' });

function check(key: string, own: Partial<LimitCheck> = {}): LimitCheck {
  return { policy: 'p', name: 'n', key, limit: FIVE, cost: 1, ...own };
}

const asks = (count: number, ask: (i: number) => StoreRequest) =>
  Array.from({ length: count }, (_, i) => store.consume(ask(i)));
/** Brings the server the script for these. */
async function warm(...limits: Limit[]): Promise<void> {
  await store.consume({ checks: limits.map((limit, i) => check('warm', { limit, name: `warm-${i}` })), peek: true });
  calls = [];
}

const scripts = () => calls.filter(({ command }) => command.startsWith('EVAL'));
const remainingOf = async (key: string, own: Partial<LimitCheck> = {}): Promise<number | undefined> =>
  (await store.consume({ checks: [check(key, own)], peek: true })).verdicts[0]?.remaining;

describe('Simultaneous decisions', () => {
  it('share a call; a single one is one call', async () => {
    await Promise.all(asks(20, (i) => ({ checks: [check(`key-${i}`)] })));
    expect(scripts()).toHaveLength(1);
    for (let i = 0; i < 5; i += 1) await store.consume({ checks: [check('ann')] });
    expect(scripts()).toHaveLength(6);
  });

  it('need fewer calls than decisions under load, as Redis counts them', async () => {
    const limiter = createLimiter({ limit: 1_000_000, window: '1h', store: new RedisStore({ client, timeout: '5s' }) });
    await limiter.consume('ann');
    await client.config('RESETSTAT');
    const callers = Array.from({ length: 64 }, async (_, caller) => {
      for (let i = 0; i < 25; i += 1) await limiter.consume(`${caller}-${i}`);
    });
    await Promise.all(callers);
    const [, count] = /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats')) ?? [];
    expect(Number(count)).toBeLessThanOrEqual((64 * 25) / 8);
    const [, times] = /cmdstat_time:calls=(\d+)/.exec(await client.info('commandstats')) ?? [];
    expect(times).toBe(count);
  });

  it.each<['numeric' | 'with an id', Partial<StoreRequest>]>([
    ['numeric', {}],
    ['with an id', { id: 'a' }],
  ])('see each other in order on one key: %s', async (_, more) => {
    await client.config('RESETSTAT');
    const replies = await Promise.all(asks(8, (i) => ({ checks: [check('ann', { cost: i === 2 ? 9 : 1 })], ...more })));
    expect(replies.map(({ allowed, verdicts }) => [allowed, verdicts[0]?.remaining])).toEqual([
      [true, 4],
      [true, 3],
      [false, 3],
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ]);
    const stats = await client.info('commandstats');
    expect(stats).toMatch(/cmdstat_evalsha:calls=1,/);
    // A numeric request needs no kernel, and what was written is read again.
    if (more.id !== undefined) expect(stats).toMatch(/cmdstat_set:calls=1,/);
  });

  it('are each all or nothing', async () => {
    await store.consume({ checks: [check('full', { name: 'own', cost: 5 })] });
    const replies = await Promise.all(
      asks(6, (i) => ({ checks: [check('shared'), check(i % 2 === 0 ? `own-${i}` : 'full', { name: 'own' })] })),
    );
    expect(replies.map(({ allowed }) => allowed)).toEqual([true, false, true, false, true, false]);
    expect(await remainingOf('shared')).toBe(2);
  });

  it('can use one key with several limits, and a peek leaves nothing behind', async () => {
    const wide = fixedWindow({ limit: 50, window: '2h' });
    const blocking = slidingWindow({ limit: 1, window: '1h', blockDuration: '1h' });
    const plain = slidingWindow({ limit: 1, window: '1h' });
    await warm(plain, FIVE);
    const [, , third] = await Promise.all([
      store.consume({ checks: [check('ann')] }),
      store.consume({ checks: [check('ann', { limit: wide, cost: 7 })] }),
      store.consume({ checks: [check('ann')], peek: true }),
      store.consume({ checks: [check('ben', { limit: blocking, cost: 2 })] }),
      store.consume({ checks: [check('ben', { limit: plain })], peek: true }),
    ]);
    expect(scripts()).toHaveLength(1);
    expect(third?.verdicts[0]?.allowed).toBe(false);
    expect(await remainingOf('ann', { limit: wide })).toBe(42);
    expect(await remainingOf('ben', { limit: blocking })).toBe(0);
    const tiers = [5, 50].map((limit) => fixedWindow({ limit, window: '1h' }));
    await Promise.all(tiers.map((limit) => store.consume({ checks: [check('cid', { limit })] })));
    for (const name of await client.keys('*')) expect(await client.pttl(name)).toBeGreaterThan(0);
    expect(await client.pttl('sluice:1:fw:p:n:{ann}')).toBeGreaterThan(3_600_000);
  });

  it('with held replies are sent one by one', async () => {
    const held = { checks: [check('ann')], id: 'a', holdMs: 60_000 };
    const [first, other, again] = await Promise.all([
      store.consume(held),
      store.consume({ checks: [check('ben')] }),
      store.consume(held),
    ]);
    expect(again).toMatchObject(first as object);
    expect(other?.verdicts[0]?.remaining).toBe(4);
    expect(await remainingOf('ann')).toBe(4);
  });
});

describe('A decision about very many limits', () => {
  // Lua can pass some 8,000 values to a function, and each limit has three numbers or more in the reply.
  it.each([31, 32, 1500, 3000])('is one call, and gets all its verdicts: %d limits', async (count) => {
    const checks = Array.from({ length: count }, (_, i) => check('ann', { name: `n${i}`, cost: 1 + (i % 5) }));
    const ask = { checks, notAfterMs: Date.now() + 60_000 };
    const { verdicts } = await store.consume(ask);
    expect(verdicts.map(({ remaining }) => remaining)).toEqual(checks.map(({ cost }) => 5 - cost));
    expect(await store.consume(ask)).toMatchObject({ allowed: false });
    expect(scripts()).toHaveLength(2);
    expect(await remainingOf('ann', { name: 'n1' })).toBe(3);
  });
});

describe('A decision that fails', () => {
  it('fails alone: others of its call are decided', async () => {
    const day = fixedWindow({ limit: 3, window: { unit: 'day', timeZone: 'UTC' } });
    const slots = concurrency({ limit: 1, lease: '1m' });
    await warm(FIVE, slots);
    const outcomes = await Promise.allSettled([
      store.consume({ checks: [check('ann')] }),
      store.consume({ checks: [check('ann')], notAfterMs: 1 }),
      store.consume({ checks: [check('ann', { limit: day, name: 'day', calendarBoundsMs: [0, 1, 2, 3] })] }),
      store.consume({ checks: [check('slot', { limit: slots })] }),
      store.consume({ checks: [check('slot', { limit: slots })], id: 'a' }),
      store.consume({ checks: [check('ann')] }),
    ]);
    expect(scripts()).toHaveLength(1);
    expect(
      outcomes.map((outcome) =>
        outcome.status === 'fulfilled'
          ? (outcome.value.outsideCalendarBounds ?? outcome.value.verdicts[0]?.remaining)
          : String(outcome.reason).slice(0, 22),
      ),
    ).toEqual([4, expect.stringContaining('SluiceError'), true, expect.stringContaining('SluiceError'), 0, 3]);
  });

  it.each<[why: string, code: string, own: Partial<LimitCheck>, more: Partial<StoreRequest>]>([
    ['of an algorithm that no script knows', 'SLUICE_UNSUPPORTED', { limit: { ...FIVE, algorithm: 'unlimited' } }, {}],
    ['of a limit that lacks a number', 'SLUICE_OPTION', { limit: { ...FIVE, windowMs: Number.NaN } }, {}],
    ['of a cost that is no number', 'SLUICE_COST', { cost: Number.NaN }, {}],
    ['of a least amount that is no number', 'SLUICE_COST', {}, { atLeast: Number.NaN }],
    ['of a slot without a name', 'SLUICE_UNSUPPORTED', { limit: concurrency({ limit: 1, lease: '1m' }) }, { id: '' }],
  ])('because %s, fails alone', async (_, code, own, more) => {
    const outcomes = await Promise.allSettled([
      store.consume({ checks: [check('ann')] }),
      store.consume({ checks: [check('bad', own)], ...more }),
      store.consume({ checks: [check('ann')] }),
    ]);
    expect(outcomes).toMatchObject([
      { value: { verdicts: [{ remaining: 4 }] } },
      { reason: { code } },
      { value: { verdicts: [{ remaining: 3 }] } },
    ]);
  });

  it('without checks takes nothing, and others of its call get their own replies', async () => {
    const replies = await Promise.all([
      store.consume({ checks: [], atLeast: 1 }),
      store.consume({ checks: [check('ann')] }),
    ]);
    expect(replies).toMatchObject([{ taken: 0, verdicts: [] }, { verdicts: [{ remaining: 4 }] }]);
  });

  it('because it could not be written, fails with all that depend on it, and no others', async () => {
    await store.consume({ checks: [check('spent', { cost: 5 })] });
    await client.config('SET', 'maxmemory', '1');
    const outcomes = await Promise.allSettled([
      store.consume({ checks: [check('ann')], id: 'a' }),
      store.consume({ checks: [check('ann')], peek: true }),
      store.consume({ checks: [check('spent')] }),
      store.consume({ checks: [check('ben')] }),
      store.consume({ checks: [check('ben', { name: 'own' }), check('ben', { name: 'other' })] }),
    ]);
    await client.config('SET', 'maxmemory', '0');
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected', 'rejected']);
    expect(outcomes[0]).toMatchObject({ reason: { code: 'SLUICE_STORE', message: expect.stringContaining('full') } });
    expect(await remainingOf('ann')).toBe(5);
  });

  it('because the whole call failed, fails with the others of its call', async () => {
    watched.callBuffer = async () => {
      throw new Error('Connection is closed.');
    };
    const outcomes = await Promise.allSettled(asks(3, (i) => ({ checks: [check(`${i}`)] })));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

describe('One call', () => {
  it('has limited room, and is sent when it is full', async () => {
    const checks = (i: number): LimitCheck[] => ['a', 'b', 'c'].map((name) => check(`key-${i}`, { name }));
    await Promise.all(asks(100, (i) => ({ checks: checks(i) })));
    expect(Math.max(...scripts().map(({ keys }) => keys.length))).toBeLessThanOrEqual(MAX_SIZE);
    // The first is half as large, that Redis may begin.
    const inFirst = Math.floor(MAX_SIZE / 2 / 3);
    expect(scripts()).toHaveLength(1 + Math.ceil((100 - inFirst) / Math.floor(MAX_SIZE / 3)));
  });

  it.each([
    ['logs', slidingWindowLog({ limit: 1000, window: '1h' }), 1],
    ['windows in many parts', slidingWindow({ limit: 1000, window: '1h', buckets: 1000 }), 2],
  ])('has less room for long lists: %s', async (_, limit, most) => {
    await warm(limit);
    await Promise.all(asks(6, (i) => ({ checks: [check(`${i}`, { limit })] })));
    expect(Math.max(...scripts().map(({ keys }) => keys.length))).toBe(most);
  });

  it('takes less than a tenth of a deadline in Redis, with any limit', async () => {
    for (const limit of Object.values(EVERY_LIMIT) as Limit[]) {
      for (let i = 0; i < 30; i += 1) {
        await Promise.all(asks(MAX_SIZE, (k) => ({ checks: [check(`${k}`, { limit })], id: `${k}-${i}` })));
      }
    }
    await client.config('RESETSTAT');
    for (const limit of Object.values(EVERY_LIMIT) as Limit[]) {
      await Promise.all(asks(MAX_SIZE, (k) => ({ checks: [check(`${k}`, { limit })], id: `${k}-last` })));
    }
    const [, usecs] = /cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(await client.info('commandstats')) ?? [];
    expect(Number(usecs)).toBeLessThan(5000);
  });
});

describe('An immediate call', () => {
  it('comes after earlier asks about the same keys, even without waiting', async () => {
    store.consume({ checks: [check('other')] });
    await new Promise((resolve) => process.nextTick(resolve));
    const spending = store.consume({ checks: [check('ann', { cost: 3 })] });
    const resetting = store.reset([check('ann')]);
    const again = store.consume({ checks: [check('ann', { cost: 2 })] });
    const refund = store.adjust({ checks: [check('ann', { cost: -1 })] });
    expect((await spending).verdicts[0]?.remaining).toBe(2);
    await resetting;
    expect((await again).verdicts[0]?.remaining).toBe(3);
    expect((await refund).result).toBe('applied');
    expect(await remainingOf('ann')).toBe(4);
  });

  it('does not send asks about other keys', async () => {
    const first = store.consume({ checks: [check('other')] });
    await new Promise((resolve) => process.nextTick(resolve));
    const waiting = store.consume({ checks: [check('ann')] });
    await store.reset([check('ben')]);
    expect(calls[1]?.command).toBe('UNLINK');
    await Promise.all([first, waiting]);
  });

  it('sends all requests when the store is closed', async () => {
    const answers = asks(3, (i) => ({ checks: [check(`${i}`)] }));
    await store.close();
    expect((await Promise.all(answers)).every(({ allowed }) => allowed)).toBe(true);
  });
});

it('On a cluster only asks about the same keys share a call', async () => {
  store = new RedisStore({ client: watching(true), timeout: '5s' });
  const replies = await Promise.all(asks(60, (i) => ({ checks: [check(`key-${i % 4}`, { cost: i < 20 ? 1 : 9 })] })));
  expect(replies.filter(({ allowed }) => allowed)).toHaveLength(20);
  expect(scripts()).toHaveLength(4);
  for (const { keys } of scripts()) expect(new Set(keys).size).toBe(1);
});
