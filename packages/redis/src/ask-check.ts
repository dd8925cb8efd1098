import { type Ask, type Check, type Limit, SluiceError } from '@sluice/core';
import { optionError } from '@sluice/core/store';

/** What the arithmetic of each algorithm needs besides the quota. */
const NUMBERS: Readonly<Record<string, readonly (keyof Limit)[]>> = {
  'sliding-window': ['windowMs', 'buckets'],
  'sliding-window-log': ['windowMs'],
  'sliding-window-counter': ['windowMs'],
  'fixed-window': ['windowMs'],
  'token-bucket': ['n', 'm'],
  'leaky-bucket': ['n', 'm'],
  concurrency: ['leaseMs'],
};

/** Limits that are known to be whole. */
const whole = new WeakSet<Limit>();

/**
 * Refuses what a script would fail over, and with it whoever else is in its call; and slots that nobody could give back.
 *
 * @throws SluiceError `SLUICE_VERB`, `SLUICE_COST`, `SLUICE_OPTION`
 */
export function checkAsk({ checks, id, look }: Ask): void {
  for (let i = 0; i < checks.length; i += 1) {
    const { limit, cost, name } = checks[i] as Check;
    if (!whole.has(limit)) checkLimit(limit);
    if (!Number.isSafeInteger(cost)) throw new SluiceError('SLUICE_COST', `a cost is a safe integer, not ${cost}`);
    if (limit.algorithm === 'concurrency' && !id && !look) {
      throw new SluiceError('SLUICE_VERB', `the concurrency limit ${name} needs an id that holds the slot`);
    }
  }
}

/** Limits come from programs, but also as JSON from elsewhere. */
function checkLimit(limit: Limit): void {
  const needed = NUMBERS[limit.algorithm];
  if (!needed) throw new SluiceError('SLUICE_VERB', `no limit can be counted in Redis by ${limit.algorithm}`);
  for (const field of ['quota', ...needed] as const) {
    if (!Number.isSafeInteger(limit[field]))
      throw optionError(`limit.${field}`, 'must be a whole number', limit[field]);
  }
  whole.add(limit);
}
