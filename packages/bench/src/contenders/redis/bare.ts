import type { Redis } from 'ioredis';
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

/** The least that can be called a fixed window. */
export const bareScript: Contender<[Redis]> = ({ limit, windowMs }, client) => {
  client.defineCommand('bareFixedWindow', { numberOfKeys: 1, lua: FIXED_WINDOW });
  const { bareFixedWindow } = client as unknown as {
    bareFixedWindow(key: string, windowMs: number): Promise<[count: number, restMs: number]>;
  };
  return {
    isAsync: true,
    async decide(key, answer) {
      const [count, restMs] = await bareFixedWindow.call(client, `script:${key}`, windowMs);
      answer.allowed = count <= limit;
      answer.limit = limit;
      answer.remaining = Math.max(0, limit - count);
      answer.resetMs = restMs;
      answer.retryMs = answer.allowed ? 0 : restMs;
    },
    close: () => undefined,
  };
};
