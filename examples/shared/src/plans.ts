import '@sluice/core/calendars';
import { fixedWindow, type Limit, slidingWindow, tokenBucket } from '@sluice/core';

export type Plan = 'free' | 'pro';

const perMinute = (limit: number): Limit => slidingWindow({ limit, window: '1m' });

/** Days as the customers' contract counts them. */
const perDay = (limit: number): Limit => fixedWindow({ limit, window: { unit: 'day', timeZone: 'Europe/Rome' } });

/** What a plan may ask for; all three hold at once. */
export const PLANS = {
  free: { burst: tokenBucket({ capacity: 5, refillRate: 2 }), minute: perMinute(60), day: perDay(1000) },
  pro: { burst: tokenBucket({ capacity: 20, refillRate: 10 }), minute: perMinute(240), day: perDay(50_000) },
} as const;
