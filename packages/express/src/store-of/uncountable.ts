import { type Limit, SluiceError } from '@sluice/core';
import type { ExpressRateLimitStore } from './express-rate-limit-store.js';

/** The longest wait of Node's timers. A store in memory uses one to remove its keys. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Returns why a limit cannot be counted; undefined if it can. */
export function refusalOf(
  limit: Pick<Limit, 'algorithm'> & Partial<Limit>,
  hits: ExpressRateLimitStore,
): string | undefined {
  const { algorithm, calendar, align, blockMs, countRejected, windowMs = 0 } = limit;
  if (algorithm !== 'fixed-window') {
    return 'it counts only fixed windows: use limit: fixedWindow({ limit, window })';
  }
  if (calendar || align === 'clock') return 'its windows begin with the first request of a key';
  if (blockMs !== undefined) return 'it cannot block a key for longer than its window: leave blockDuration out';
  if (countRejected) return 'it always counts refused requests: leave countRejected out';
  if (hits.localKeys && windowMs > LONGEST_TIMER_MS) return 'its windows in memory are at most 24 days long';
  return undefined;
}

export function checkCost(name: string, cost: number): void {
  if (cost !== 1) throw unsupported(name, 'it counts each request as one', 'cost');
}

export function unsupported(name: string | undefined, reason: string, path?: string): SluiceError {
  const message = `the limit ${JSON.stringify(name)} cannot be counted by a store for express-rate-limit: ${reason}`;
  return new SluiceError('SLUICE_UNSUPPORTED', message, path === undefined ? {} : { path });
}
