import { checkLimit } from '../../algorithms/check-limit.js';
import { isAlgorithm } from '../../algorithms/definitions.js';
import { SluiceError, show } from '../../values/error.js';
import type { Limit } from '../../values/limit.js';
import { checkSlotId } from '../check-evaluation.js';
import { listParts } from '../check-parts.js';
import type { Change, LimitCheck, StoreRequest } from '../store.js';

/**
 * Returns a request as it is counted: see `listParts`.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`, `SLUICE_COST`, `SLUICE_OPTION`
 */
export function countableRequest(request: StoreRequest): StoreRequest {
  checkUnits(request.atLeast ?? 0, 'atLeast');
  const listed = listParts(request);
  for (const check of listed.checks) {
    checkCheck(check);
    checkSlotId(check.limit, check.name, request);
  }
  return listed;
}

/** The same for a change. */
export function countableChange(change: Change): Change {
  const listed = listParts(change);
  for (const check of listed.checks) checkCheck(check);
  return listed;
}

/** Limits that passed the check. */
const countable = new WeakSet<Limit>();

function checkCheck({ limit, cost }: LimitCheck): void {
  checkUnits(cost, 'a cost');
  if (countable.has(limit)) return;
  if (!isAlgorithm(limit.algorithm)) {
    throw new SluiceError('SLUICE_UNSUPPORTED', `no store supports the algorithm ${show(limit.algorithm)}`);
  }
  countable.add(checkLimit(limit, 'limit'));
}

function checkUnits(units: number, what: string): void {
  if (!Number.isSafeInteger(units))
    throw new SluiceError('SLUICE_COST', `${what} must be a safe integer, got ${units}`);
}
