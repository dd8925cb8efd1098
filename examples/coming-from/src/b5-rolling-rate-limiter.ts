import { createLimiter, type Limiter, type Store, slidingWindow } from '@sluice/core';

/** new RedisRateLimiter({ client, namespace: 'notify', interval: 60_000, maxInInterval: 10, minDifference: 3000 }) */
export function createNotifications(
  store: Store<true>,
  /** `'always'` is as there: a client that never stops is never admitted again. */
  countRejected: true | 'always' = true,
): Limiter<string, true> {
  return createLimiter({
    name: 'notify', // namespace
    limits: [
      // countRejected, since what is blocked there counts as well.
      slidingWindow({ name: 'a minute', limit: 10, window: 60_000, countRejected }), // maxInInterval, interval
      slidingWindow({ name: 'apart', limit: 1, window: 3000, countRejected }), // minDifference
    ],
    store,
  });
}

/** What limitWithInfo answers, in its words. */
export async function limitWithInfo(notifications: Limiter<string, true>, user: string) {
  const { allowed, verdicts, retryAfterMs } = await notifications.consume(user);
  const [aMinute, apart] = verdicts;
  return {
    blocked: !allowed,
    blockedDueToCount: aMinute?.allowed === false,
    blockedDueToMinDifference: apart?.allowed === false,
    millisecondsUntilAllowed: Number(retryAfterMs),
    actionsRemaining: aMinute?.remaining,
  };
}
