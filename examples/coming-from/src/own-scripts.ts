import { createLimiter, fixedWindow, type Limiter, type Store, slidingWindow, tokenBucket } from '@sluice/core';

/** GET, compare, INCR, PEXPIRE on `rate_limit:user:{id}`: ten in a window that begins with the first of them. */
export function createCounter(store: Store): Limiter<string> {
  return createLimiter({ name: 'user', limit: fixedWindow({ limit: 10, window: 60_000 }), store });
}

/** What called the script, and threw when it returned 0. */
export async function checkUser(users: Limiter<string>, id: string): Promise<void> {
  const { allowed, retryAfterMs } = await users.consume(id);
  if (!allowed) throw new Error(`Rate limit exceeded, try again in ${retryAfterMs} ms`);
}

/** ZREMRANGEBYSCORE, ZCARD, ZADD, PEXPIRE: ten in any 60 seconds. */
export function createLog(store: Store): Limiter<string> {
  return createLimiter({ name: 'log', limit: 10, window: 60_000, store });
}

/** The sorted set with a member for each unit: 100 units in 60 seconds, with a cost for each call. */
export function createSlidingWindow(store: Store): Limiter<string> {
  return createLimiter({ name: 'window', limit: slidingWindow({ limit: 100, window: '60s' }), store });
}

/** HMGET, refill, compare, HSET: a capacity of 100, ten more each second, with a cost for each call. */
export function createTokenBucket(store: Store): Limiter<string> {
  return createLimiter({ name: 'bucket', limit: tokenBucket({ capacity: 100, refillRate: 10 }), store });
}

/** The sorted set that adds a member also when it refuses: two a minute. */
export function createCountingLog(store: Store): Limiter<string> {
  const limit = slidingWindow({ limit: 2, window: '1m', countRejected: true });
  return createLimiter({ name: 'counting-log', limit, store });
}
