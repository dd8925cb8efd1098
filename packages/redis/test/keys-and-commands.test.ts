import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type Limit, type LimitCheck, slidingWindow, tokenBucket } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { arbitraryText } from '@sluice/test-kit/arbitrary-text';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';
import { type HashTag, RedisKeys } from '../src/redis-keys.js';
import { EVERY_LIMIT } from './every-limit.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

beforeEach(() => client.flushall());

function checkOf(limit: Limit, own: Partial<LimitCheck> = {}): LimitCheck {
  return { policy: 'default', name: 'per-1m', key: 'ann', limit, cost: 1, ...own };
}

const everyCheck = (own: Partial<LimitCheck> = {}): LimitCheck[] =>
  Object.entries(EVERY_LIMIT).map(([name, limit]) => checkOf(limit, { name, ...own }));

/** Ways of limits that have an end of their own: of a block, of counting refusals, of remembering. */
const OWN_ENDS: readonly Limit[] = [
  slidingWindow({ limit: 100, window: '1m', blockDuration: '1h' }),
  fixedWindow({ limit: 100, window: '1m', countRejected: true }),
  fixedWindow({ limit: 100, window: '1m', align: 'clock', countRejected: 'always' }),
  tokenBucket({ capacity: 100, refillRate: 0 }),
];

describe.each<[string, ManualClock | undefined]>([
  ['the server’s clock', undefined],
  ['a clock of the test', new ManualClock()],
])('by %s', (_, clock) => {
  it('every key has a time to live, whatever wrote it', async () => {
    const store = new RedisStore({ client, ...(clock && { clock }), timeout: '10s' });
    for (const key of ['ann', 'ben']) {
      const checks = [...everyCheck({ key }), ...OWN_ENDS.map((limit, i) => checkOf(limit, { name: `own-${i}`, key }))];
      await store.consume({ checks, id: `${key}-1`, holdMs: 60_000 });
      await store.consume({ checks, id: `${key}-2`, renew: true });
      await store.consume({ checks: checks.map((check) => ({ ...check, cost: 1000 })), id: `${key}-3` });
      await store.adjust({ checks: checks.map((check) => ({ ...check, cost: -1 })), id: `${key}-1` });
      await store.adjust({ checks });
    }
    await store.reset(everyCheck({ key: 'ben' }));

    const names = await scanned();
    const lives = await Promise.all(names.map((name) => client.pttl(name)));
    expect(names.length).toBeGreaterThanOrEqual(7 + 2 * OWN_ENDS.length);
    expect(names.filter((_name, i) => (lives[i] as number) <= 0)).toEqual([]);
  });
});

it('a key of a limit of a minute lives for two at most by the server’s clock', async () => {
  const store = new RedisStore({ client, timeout: '10s' });
  // A request with an id is not decided by numbers alone.
  await store.consume({ checks: everyCheck(), id: 'a' });
  const lives = await Promise.all((await scanned()).map((name) => client.pttl(name)));
  expect(lives).toHaveLength(7);
  expect(Math.max(...lives)).toBeLessThanOrEqual(120_000);
});

async function scanned(): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of client.scanStream()) names.push(...(batch as string[]));
  return names;
}

describe('the commands', () => {
  it('of a decision are one EVALSHA, whatever the number and mix of its limits', async () => {
    const store = new RedisStore({ client, timeout: '10s' });
    await store.consume({ checks: everyCheck(), id: 'first' });
    await client.config('RESETSTAT');
    for (let i = 1; i <= 7; i += 1) await store.consume({ checks: everyCheck(), id: `${i}`, holdMs: 1000 });
    const calls = await commandCalls();
    expect(calls.get('evalsha')).toBe(7);
    // What the script itself calls is counted, too.
    const own = ['evalsha', 'mget', 'get', 'set', 'setrange', 'del', 'time'];
    expect([...calls.keys()].filter((name) => !own.includes(name) && !/^(config|info)/.test(name))).toEqual([]);
  });

  it('of a decision read the server’s time once', async () => {
    const store = new RedisStore({ client, timeout: '10s' });
    await client.config('RESETSTAT');
    await store.consume({ checks: everyCheck(), id: 'a' });
    expect((await commandCalls()).get('time')).toBe(1);
  });

  it('of the last unit of a sliding window write the end of its text alone, also if it has counted for long', async () => {
    const clock = new ManualClock();
    const store = new RedisStore({ client, clock, timeout: '10s' });
    const spend = (cost: number) =>
      store.consume({ checks: [checkOf(slidingWindow({ limit: 100, window: '1m' }), { cost })] });
    await spend(50);
    clock.advance(6000);
    await spend(49);
    await client.config('RESETSTAT');
    await spend(1);
    expect((await commandCalls()).get('setrange')).toBe(1);
  });
});

/** How often each command was called since the statistics were reset. */
async function commandCalls(): Promise<Map<string, number>> {
  const stats = await client.info('commandstats');
  return new Map(
    [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].map(([, name, calls]) => [`${name}`, Number(calls)]),
  );
}

describe('the bytes of a key', () => {
  /** By MEMORY USAGE, after so many requests that come a bit less than a sub-window apart. */
  async function bytes(limit: Limit, requests: number, prefix: string, key: string, policy = 'default') {
    const clock = new ManualClock(Date.UTC(2026, 5, 7, 8, 9, 10, 123));
    const store = new RedisStore({ client, clock, prefix, timeout: '10s' });
    const check = checkOf(limit, { key, policy, ...(policy === 'p' && { name: 'n' }) });
    for (let i = 0; i < requests; i += 1) {
      await store.consume({ checks: [check], id: `${i}` });
      clock.advance(2900);
    }
    const [name, ...others] = await scanned();
    expect(others).toEqual([]);
    const used = await client.memory('USAGE', name as string);
    await client.set(name as string, '', 'PX', 60_000);
    return { name: name as string, used: Number(used), own: Number(await client.memory('USAGE', name as string)) };
  }

  it.each([1, 20])('are at most 150 for a short key with one number after %d requests', async (requests) => {
    for (const limit of [EVERY_LIMIT['token-bucket'], EVERY_LIMIT['fixed-window']]) {
      await client.flushall();
      const { name, used } = await bytes(limit, requests, '', 'user1', 'p');
      expect(name).toHaveLength(16);
      expect(used).toBeLessThanOrEqual(150);
    }
  });

  it.each(['token-bucket', 'fixed-window', 'leaky-bucket', 'sliding-window-counter'] as const)(
    'are at most 200 for a %s with the default prefix',
    async (algorithm) => {
      const { used } = await bytes(EVERY_LIMIT[algorithm], 20, 'sluice:', 'user-12345678901');
      expect(used).toBeLessThanOrEqual(200);
    },
  );

  it.each([1, 5, 10, 20])(
    'are at most 64 plus 8 for each of %d used sub-windows of a sliding window',
    async (subWindows) => {
      const { used, own } = await bytes(EVERY_LIMIT['sliding-window'], subWindows, 'sluice:', 'user-12345678901');
      expect(used - own).toBeLessThanOrEqual(64 + 8 * subWindows);
    },
  );
});

describe('a state that this version does not know', () => {
  it.each([
    ['text', Buffer.from('not a state')],
    ['a number', Buffer.from([49])],
    ['an array of another format', Buffer.from([0x94, 2, 0, 255, 7])],
    ['an array without anything else', Buffer.from([0x91, 1])],
    ['an array that ends too early', Buffer.from([0x97, 1, 0, 255])],
    ['an empty array', Buffer.from([0x90])],
    ['a map', Buffer.from([0x81, 0xa1, 0x61, 1])],
  ])('fails the request, and stays as it is: %s', async (_, state) => {
    const store = new RedisStore({ client, timeout: '10s' });
    for (const check of everyCheck()) {
      await client.flushall();
      const ask = { checks: [check], id: 'a' };
      await store.consume(ask);
      const [name] = (await scanned()) as [string];
      await client.set(name, state, 'PX', 60_000);
      await expect(store.consume(ask)).rejects.toMatchObject({ code: 'SLUICE_STORE' });
      expect(await client.getBuffer(name)).toEqual(state);
    }
  });

  it('starts fresh if a key holds an empty text', async () => {
    const store = new RedisStore({ client, timeout: '10s' });
    for (const check of everyCheck()) {
      await client.flushall();
      const ask = { checks: [check], id: 'a' };
      const fresh = await store.consume(ask);
      const [name] = await scanned();
      await client.set(name as string, '', 'PX', 60_000);
      const reply = await store.consume(ask);
      expect(reply.verdicts[0]).toMatchObject({ allowed: true, remaining: fresh.verdicts[0]?.remaining });
    }
  });

  it('is replaced if a key holds no text at all, and does not affect others', async () => {
    const store = new RedisStore({ client, timeout: '10s' });
    for (const limit of Object.values(EVERY_LIMIT)) {
      await client.flushall();
      const ask = (key: string) => store.consume({ checks: [checkOf(limit, { key })], id: 'a' });
      await ask('ann');
      const [name] = await scanned();
      await client.del(name as string);
      await client.rpush(name as string, 'a list');
      const replies = await Promise.all([ask('ann'), ask('ben')]);
      expect(replies.map(({ allowed }) => allowed)).toEqual([true, true]);
      expect(await client.type(name as string)).toBe('string');
    }
  });

  it('fails a repeated request if it is kept as the reply for an id', async () => {
    const store = new RedisStore({ client, timeout: '10s' });
    const ask = { checks: [checkOf(EVERY_LIMIT['fixed-window'])], id: 'a', holdMs: 60_000 };
    await store.consume(ask);
    const name = (await scanned()).find((other) => other.includes(':ask:')) as string;
    await client.set(name, 'not an answer', 'PX', 60_000);
    await expect(store.consume(ask)).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    expect(await client.get(name)).toBe('not an answer');
    expect((await store.consume({ ...ask, id: 'b', peek: true })).verdicts[0]?.remaining).toBe(99);
  });
});

describe('the name of a key', () => {
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom('{', '}', ':', '%', '\n', '\r', 'a', '7', 'b'), maxLength: 6 }),
    arbitraryText({ maxLength: 8 }),
    fc.constantFrom('', '{}', '}{', '{a}', '%', '%7b', '\n', 'ä'),
  );
  const check = fc
    .record({ policy: part, name: part, key: part, limit: fc.constantFrom(...Object.values(EVERY_LIMIT)) })
    .map((own) => checkOf(own.limit, own));
  const tags = fc.constantFrom<HashTag>('subject', 'policy');
  const identity = ({ policy, name, key, limit }: LimitCheck): string =>
    JSON.stringify([policy, name, key, limit.algorithm]);

  it('differs for every check', () => {
    fc.assert(
      fc.property(tags, check, check, (hashTag, one, other) => {
        const keys = new RedisKeys('sluice:', hashTag);
        expect(keys.state(one) === keys.state(other)).toBe(identity(one) === identity(other));
      }),
      { numRuns: 5000 },
    );
  });

  it('has the hash tag that Redis finds in it: the subject, or the policy', () => {
    fc.assert(
      fc.property(tags, check, check, (hashTag, one, other) => {
        const keys = new RedisKeys('sluice:', hashTag);
        for (const name of [keys.state(one), ...keys.states(one), keys.id(one, 'ask', 'i{}d')]) {
          expect(hashTagOf(name)).toBe(keys.tag(one));
        }
        const part = hashTag === 'subject' ? 'key' : 'policy';
        expect(keys.tag(one) === keys.tag(other)).toBe(one[part] === other[part]);
      }),
      { numRuns: 2000 },
    );
  });

  it('stays short for a key of ten megabytes, which is counted as usual', async () => {
    const store = new RedisStore({ client, timeout: '30s' });
    const limiter = createLimiter({ limit: 2, window: '1h', store });
    const long = 'k'.repeat(10_000_000);
    expect((await limiter.consume(long)).allowed).toBe(true);
    expect((await limiter.consume(`${long}!`)).tightest.remaining).toBe(1);
    expect((await limiter.consume(long)).tightest.remaining).toBe(0);
    const names = await scanned();
    expect(names).toHaveLength(2);
    for (const name of names) expect(name.length).toBeLessThan(100);
    await store.close();
  });

  it.each(['{}', '}{', '{', 'a\r\nb', 'a:b', 'ä€😀', ' '])('counts %j separately', async (key) => {
    const store = new RedisStore({ client, timeout: '30s' });
    const limiter = createLimiter({ limit: 3, window: '1h', store });
    await limiter.consume('other', { cost: 3 });
    expect((await limiter.consume(key)).tightest.remaining).toBe(2);
    expect((await limiter.consume(key)).tightest.remaining).toBe(1);
    await limiter.reset(key);
    expect((await limiter.peek(key)).tightest.remaining).toBe(3);
    await store.close();
  });
});

/** As the specification of Redis Cluster has it: between the first { and the first } after it, if there is anything. */
function hashTagOf(name: string): string {
  const start = name.indexOf('{');
  const end = name.indexOf('}', start + 1);
  return start < 0 || end < 0 || end === start + 1 ? name : name.slice(start + 1, end);
}
