import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { createLimiter, type Reservation } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import type { Redis } from 'ioredis';
import { createLlm, type Llm } from '../../src/index.js';
import { bytesOf } from '../pieces.js';

let client: Redis;
let server: RedisServer;

withRedis((given, givenServer) => {
  client = given;
  server = givenServer;
});

beforeAll(() => {
  // The process is warned that its store fails.
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
});
afterEach(() => server.thaw());

const CHAT = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1000, stream: true };
const PLAN = { rpm: 100, rpd: 1000, tpm: 100_000, tpd: 1_000_000, otpm: 50_000, parallel: 10 };

type Call = typeof CHAT;

const llm: Llm<[Call]> = createLlm<[Call]>({ call: (body) => body, plan: PLAN });

const limiterOn = (store: RedisStore) =>
  createLimiter({ name: 'llm', store, keyGenerator: () => 'ann', limits: llm.policy.limits });

const usedOf = ({ verdicts }: Pick<Reservation, 'verdicts'>, limit: string): number | undefined =>
  verdicts.find(({ name }) => name === limit)?.used;

it('settles in time and once although Redis is frozen in the middle of a stream', async () => {
  // Long enough for a slow machine. What is shown is that nobody waits for Redis.
  const store = new RedisStore({ client, prefix: 'frozen', timeout: '1s' });
  const limiter = limiterOn(store);
  const reservation = await limiter.reserve(CHAT);
  expect(reservation.source).toBe('store');
  const held = usedOf(reservation, 'tpm') ?? 0;
  const call = { model: 'gpt', format: 'openai-chat', stream: true, input: 8, inputCeiling: 100, choices: 1 } as const;
  const meter = llm.meter(reservation, call);
  meter.push(bytesOf('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'));

  await server.freeze();
  meter.push(bytesOf(`data: {"choices":[],"usage":{"prompt_tokens":700,"completion_tokens":${held}}}\n\n`));
  await meter.end('complete');
  await meter.end('broken');
  // Redis has answered nothing. Until it does, the process counts what was used above what Redis holds.
  const local = await limiter.peek(CHAT);
  expect(local.source).toBe('local');
  expect(usedOf(local as Reservation, 'tpm')).toBe(700);

  await server.thaw();
  await until(async () => (await limiter.peek(CHAT)).source === 'store', 20);
  // Redis has got the correction by now, and has made it once.
  expect(usedOf((await limiter.peek(CHAT)) as Reservation, 'tpm')).toBe(700 + held);
  await store.close();
});

it('decides about six limits in one round trip, and settles them in another', async () => {
  const store = new RedisStore({ client, prefix: 'trips', timeout: '5s' });
  const limiter = limiterOn(store);
  // The first call loads the scripts.
  await (await limiter.reserve(CHAT)).cancel();
  const scriptsRun = async (): Promise<number> => {
    const stats = await client.info('commandstats');
    const counts = stats.matchAll(/^cmdstat_(?:evalsha|eval|fcall):calls=(\d+)/gm);
    return [...counts].reduce((sum, [, calls]) => sum + Number(calls), 0);
  };
  const before = await scriptsRun();
  const reservation = await limiter.reserve(CHAT);
  expect(reservation.verdicts.length).toBe(6);
  const between = await scriptsRun();
  await reservation.settle({ tpm: 17, tpd: 17, otpm: 5 });
  expect([between - before, (await scriptsRun()) - between]).toEqual([1, 1]);
  await store.close();
});
