import type { Redis } from 'ioredis';
import type { Answer } from '../../answer.js';
import type { Contender } from '../../contender.js';

/** The cheapest command that counts. Its counts never expire, so it is no limiter, and its times are made up. */
export const bareIncr: Contender<[Redis]> = ({ limit, windowMs }, client) => ({
  isAsync: true,
  async decide(key, answer) {
    const count = await client.incr(`incr:${key}`);
    answer.allowed = count <= limit;
    answer.limit = limit;
    answer.remaining = Math.max(0, limit - count);
    answer.resetMs = windowMs;
    answer.retryMs = answer.allowed ? 0 : windowMs;
  },
  close: () => undefined,
});

const FIXED_WINDOW = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return { count, redis.call('PTTL', KEYS[1]) }
`;

const FIXED_WINDOW_OF_COSTS = `
  local count = redis.call('INCRBY', KEYS[1], ARGV[2])
  if count == tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return { count, redis.call('PTTL', KEYS[1]) }
`;

type Counted = Promise<[count: number, restMs: number]>;

/** The least that can be called a fixed window. */
export const bareScript: Contender<[Redis]> = ({ limit, windowMs }, client) => {
  client.defineCommand('bareFixedWindow', { numberOfKeys: 1, lua: FIXED_WINDOW });
  client.defineCommand('bareFixedWindowOfCosts', { numberOfKeys: 1, lua: FIXED_WINDOW_OF_COSTS });
  const { bareFixedWindow, bareFixedWindowOfCosts } = client as unknown as {
    bareFixedWindow(key: string, windowMs: number): Counted;
    bareFixedWindowOfCosts(key: string, windowMs: number, cost: number): Counted;
  };
  const fill = ([count, restMs]: Awaited<Counted>, answer: Answer): void => {
    answer.allowed = count <= limit;
    answer.limit = limit;
    answer.remaining = Math.max(0, limit - count);
    answer.resetMs = restMs;
    answer.retryMs = answer.allowed ? 0 : restMs;
  };
  return {
    isAsync: true,
    decide: async (key, answer) => fill(await bareFixedWindow.call(client, `script:${key}`, windowMs), answer),
    decideCost: async (key, cost, answer) =>
      fill(await bareFixedWindowOfCosts.call(client, `script:${key}`, windowMs, cost), answer),
    close: () => undefined,
  };
};
