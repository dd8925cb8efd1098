import { type Limit, SluiceError } from '@sluice/core';
import type { ExpressRateLimitStore } from './express-rate-limit-store.js';

/** What Node's timers can wait. A store in memory sweeps its keys by one. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Why a limit cannot be counted, if it cannot. */
export function refusalOf(
  limit: Pick<Limit, 'algorithm'> & Partial<Limit>,
  hits: ExpressRateLimitStore,
): string | undefined {
  const { algorithm, calendar, align, blockMs, countRejected, windowMs = 0 } = limit;
  if (algorithm !== 'fixed-window') {
    return 'it counts fixed windows alone, so say limit: fixedWindow({ limit, window })';
  }
  if (calendar || align === 'clock') return 'its windows begin with the first request of a key';
  if (blockMs !== undefined) return 'it blocks no key for longer than its window: leave blockDuration out';
  if (countRejected) return 'it counts what is refused in any case: leave countRejected out';
  if (hits.localKeys && windowMs > LONGEST_TIMER_MS) return 'in memory its windows are no longer than 24 days';
  return undefined;
}

export function checkCost(name: string, cost: number): void {
  if (cost !== 1) throw unsupported(name, 'it counts each request as one', 'cost');
}

export function unsupported(name: string | undefined, reason: string, path?: string): SluiceError {
  const message = `the limit ${JSON.stringify(name)} cannot be counted by a store for express-rate-limit: ${reason}`;
  return new SluiceError('SLUICE_UNSUPPORTED', message, path === undefined ? {} : { path });
}
