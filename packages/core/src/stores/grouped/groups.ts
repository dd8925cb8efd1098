import { returnRuleOf, takesBack } from '../../algorithms/returns.js';
import type { Eventual } from '../../values/eventual.js';
import { getOrCreate } from '../../values/get-or-create.js';
import type { DeadlineBudget } from '../deadline.js';
import type { Change, ChangeResponse, LimitCheck, StoreRequest, StoreResponse } from '../store.js';

/** Decides checks, and corrects them, in one step. All of these checks are within its reach. */
export interface Decider {
  /** @param budget - the time for the whole request; a decider may ignore it */
  consume(request: StoreRequest, budget?: DeadlineBudget): Eventual<StoreResponse>;
  adjust(change: Change): Promise<ChangeResponse>;
  /** Returns the error of a request about these checks if the decider is known to be unreachable. It is then not asked. */
  unavailable?(checks: readonly LimitCheck[]): Error | undefined;
}

/** The checks of a request that one decider reaches. */
export interface Group {
  readonly checks: readonly LimitCheck[];
  readonly decider: Decider;
}

/** Groups the checks by the place that `placeOf` returns. */
export function groupsOf<Place>(
  checks: readonly LimitCheck[],
  placeOf: (check: LimitCheck) => Place,
  deciderOf: (place: Place, checks: readonly LimitCheck[]) => Decider,
): readonly Group[] {
  const places = new Map<Place, LimitCheck[]>();
  for (const check of checks) getOrCreate(places, placeOf(check), (): LimitCheck[] => []).push(check);
  return [...places].map(([place, own]) => ({ checks: own, decider: deciderOf(place, own) }));
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
