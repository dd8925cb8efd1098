import { returnRuleOf, takesBack } from '../../algorithms/returns.js';
import type { Eventual } from '../../values/eventual.js';
import { getOrCreate } from '../../values/get-or-create.js';
import type { DeadlineBudget } from '../deadline.js';
import type { Ask, Change, ChangeReply, Check, Reply } from '../store.js';

/** Decides checks, and corrects them, in one step. All of these checks are within its reach. */
export interface Decider {
  /** @param budget - the time for the whole ask; a decider may ignore it */
  consume(ask: Ask, budget?: DeadlineBudget): Eventual<Reply>;
  adjust(change: Change): Promise<ChangeReply>;
  /** Returns the error of an ask about these checks if the decider is known to be unreachable. It is then not asked. */
  unavailable?(checks: readonly Check[]): Error | undefined;
}

/** The checks of an ask that one decider reaches. */
export interface Group {
  readonly checks: readonly Check[];
  readonly decider: Decider;
}

/** Groups the checks by the place that `placeOf` returns. */
export function groupsOf<Place>(
  checks: readonly Check[],
  placeOf: (check: Check) => Place,
  deciderOf: (place: Place, checks: readonly Check[]) => Decider,
): readonly Group[] {
  const places = new Map<Place, Check[]>();
  for (const check of checks) getOrCreate(places, placeOf(check), (): Check[] => []).push(check);
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
export function isLeakyBucket({ limit }: Check): boolean {
  return !takesBack(limit);
}

/** Whether what a group gives back comes to a level that has refilled meanwhile, so that some of it may be lost. */
export function isLevel({ checks }: Group): boolean {
  return checks.some(({ limit }) => returnRuleOf(limit).to === 'level');
}
