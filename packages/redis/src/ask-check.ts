import { type Ask, type Check, type Limit, SluiceError } from '@sluice/core';
import { checkLimit, checkSlotId } from '@sluice/core/store';
import { KERNELS } from './generated/scripts.js';

/** Limits that the scripts can count by. */
const countable = new WeakSet<Limit>();

/**
 * Refuses what a script would fail over, and with it whoever else is in its call; and slots that nobody could give back.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`, `SLUICE_COST`, `SLUICE_OPTION`
 */
export function checkAsk(ask: Ask): void {
  const { checks, atLeast = 0 } = ask;
  checkUnits(atLeast, 'atLeast');
  for (let i = 0; i < checks.length; i += 1) {
    const { limit, cost, name } = checks[i] as Check;
    if (!countable.has(limit)) checkCountable(limit);
    checkUnits(cost, 'a cost');
    checkSlotId(limit, name, ask);
  }
}

function checkUnits(units: number, what: string): void {
  if (!Number.isSafeInteger(units))
    throw new SluiceError('SLUICE_COST', `${what} must be a safe integer, got ${units}`);
}

/** Limits come from programs, but also as JSON from elsewhere. */
function checkCountable(limit: Limit): void {
  if (!Object.hasOwn(KERNELS, limit.algorithm)) {
    throw new SluiceError('SLUICE_UNSUPPORTED', `no limit can be counted in Redis by ${limit.algorithm}`);
  }
  countable.add(checkLimit(limit, 'limit'));
}
