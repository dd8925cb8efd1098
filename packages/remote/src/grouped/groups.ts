import { returnRuleOf, takesBack } from '@sluice/core/src/algorithms/returns';
import type { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import type { Change, ChangeResponse, LimitCheck, StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import { SluiceError } from '@sluice/core/src/values/error';
import type { Eventual } from '@sluice/core/src/values/eventual';
import { getOrCreate } from '@sluice/core/src/values/get-or-create';

/** Decides checks, and corrects them, in one step. All of these checks are within its reach. */
export interface Decider {
  /**
   * Decides about all checks of a request in one step.
   *
   * @param budget - the time for the whole request; a decider may ignore it
   */
  consume(request: StoreRequest, budget?: DeadlineBudget): Eventual<StoreResponse>;
  /** Corrects an earlier charge. */
  adjust(change: Change): Promise<ChangeResponse>;
  /** Returns the error of a request about these checks if the decider is known to be unreachable. It is then not asked. */
  unavailable?(checks: readonly LimitCheck[]): Error | undefined;
}

/** The checks of a request that one decider reaches. */
export interface Group {
  /** The checks, in the order of the request. */
  readonly checks: readonly LimitCheck[];
  /** What decides about them. */
  readonly decider: Decider;
}

/**
 * Groups the checks by the place that `placeOf` returns.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED` if the guaranteed parts of a limit are in another place than the limit
 */
export function groupsOf<Place>(
  checks: readonly LimitCheck[],
  placeOf: (check: LimitCheck) => Place,
  deciderOf: (place: Place, checks: readonly LimitCheck[]) => Decider,
): readonly Group[] {
  const places = new Map<Place, LimitCheck[]>();
  for (const check of checks) {
    const place = placeOf(check);
    const { parts } = check;
    if (parts && (placeOf(parts.own) !== place || placeOf(parts.all) !== place)) throw inOtherPlaces(check);
    getOrCreate(places, place, (): LimitCheck[] => []).push(check);
  }
  return [...places].map(([place, own]) => ({ checks: own, decider: deciderOf(place, own) }));
}

function inOtherPlaces({ name }: LimitCheck): SluiceError {
  const message = `the limit ${JSON.stringify(name)} has a guarantee, and its keys are counted in different places: count each policy in one place, with hashTag: 'policy' of a RedisStore`;
  return new SluiceError('SLUICE_UNSUPPORTED', message);
}

/** Whether a group holds only shadow checks, and so never refuses. */
export function isShadow({ checks }: Group): boolean {
  return checks.every(({ shadow }) => shadow);
}

/** Whether a group cannot give back everything that it has spent. */
export function isLeaky({ checks }: Group): boolean {
  return checks.some(isLeakyBucket);
}

/** Whether a check cannot give back what it has spent. */
export function isLeakyBucket({ limit }: LimitCheck): boolean {
  return !takesBack(limit);
}

/** Whether what a group gives back comes to a level that has refilled meanwhile, so that some of it may be lost. */
export function isLevel({ checks }: Group): boolean {
  return checks.some(({ limit }) => returnRuleOf(limit).to === 'level');
}
