import { createLimiter, fixedWindow, type Limiter } from '@sluice/core';
import { RedisStore, type RedisStoreOptions } from '@sluice/redis';

/** new RateLimiterRedis({ points: 5, duration: 3600, blockDuration: 7200, insuranceLimiter, ... }) */
export function createLogins(options: RedisStoreOptions): Limiter<string, true> {
  return createLimiter({
    name: 'logins', // keyPrefix
    limit: fixedWindow({
      limit: 5, // points
      window: '1h', // duration, in seconds
      blockDuration: '2h',
    }),
    // The insurance needs no limiter of its own: each of two instances counts half the limit while Redis is gone.
    onStoreError: 'local',
    store: new RedisStore({ instances: 2, ...options }), // storeClient is client
  });
}

/** await limiter.consume(userName), which rejects above the limit with what is no Error. */
export async function mayTry(logins: Limiter<string, true>, userName: string): Promise<true | { waitMs: number }> {
  const { allowed, retryAfterMs } = await logins.consume(userName);
  if (allowed) return true;
  return { waitMs: Number(retryAfterMs) }; // msBeforeNext
}

/** limiter.penalty(userName, 2): two more points for a password that leaked, without asking whether they fit. */
export const penalize = (logins: Limiter<string, true>, userName: string) => logins.charge(userName, { cost: 2 });

/** limiter.reward(userName, 1) */
export const reward = (logins: Limiter<string, true>, userName: string) => logins.refund(userName, { cost: 1 });

/** (await limiter.get(userName))?.remainingPoints */
export async function remaining(logins: Limiter<string, true>, userName: string): Promise<number> {
  const { tightest } = await logins.peek(userName);
  return tightest.remaining;
}
