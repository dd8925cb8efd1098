import { checkLimit } from '@sluice/core/src/algorithms/check-limit';
import { isAlgorithm } from '@sluice/core/src/algorithms/definitions';
import { checkSlotId } from '@sluice/core/src/stores/check-evaluation';
import { listParts } from '@sluice/core/src/stores/check-parts';
import type { Change, LimitCheck, StoreRequest } from '@sluice/core/src/stores/store';
import { SluiceError, show } from '@sluice/core/src/values/error';
import type { Limit } from '@sluice/core/src/values/limit';

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
