import 'reflect-metadata';
import { ThrottlerStorageService } from '@nestjs/throttler';
import type { Contender } from '../../contender.js';

/** How often its storage looks for keys to forget, by default. */
const SWEEP_MS = 60_000;

/**
 * Its storage, asked as its guard asks: with a block as long as the window. The guard's hash of each key is left out.
 * The storage forgets no key before its time, and once a minute those whose time has come; within shorter windows, as
 * often as a window ends, or there would be nothing to see.
 */
export const nestjsThrottler: Contender = ({ limit, windowMs }) => {
  const storage = new ThrottlerStorageService();
  Object.assign(storage, { sweepIntervalMs: Math.min(SWEEP_MS, windowMs) });
  return {
    isAsync: true,
    async decide(key, answer) {
      const { totalHits, timeToExpire, isBlocked, timeToBlockExpire } = await storage.increment(
        key,
        windowMs,
        limit,
        windowMs,
        'default',
      );
      answer.allowed = !isBlocked;
      answer.limit = limit;
      answer.remaining = Math.max(0, limit - totalHits);
      answer.resetMs = timeToExpire * 1_000;
      answer.retryMs = isBlocked ? timeToBlockExpire * 1_000 : 0;
    },
    close: () => storage.onApplicationShutdown(),
  };
};
