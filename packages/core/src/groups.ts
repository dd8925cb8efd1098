import { getOrMake } from './get-or-make.js';
import type { Ask, Change, ChangeReply, Check, Reply } from './store.js';

/** Decides about checks that are all within its reach, and corrects them, in one step. */
export interface Decider {
  consume(ask: Ask): Promise<Reply>;
  adjust(change: Change): Promise<ChangeReply>;
}

/** The checks of a question that are within one decider's reach. */
export interface Group {
  readonly checks: readonly Check[];
  readonly decider: Decider;
}

/**
 * The checks, grouped by the place where they are decided, which `placeOf` names. Groups of nothing but shadows come
 * last, since they spend only when the others have.
 */
export function groupsOf<Place>(
  checks: readonly Check[],
  placeOf: (check: Check) => Place,
  deciderOf: (place: Place) => Decider,
): readonly Group[] {
  const places = new Map<Place, Check[]>();
  for (const check of checks) getOrMake(places, placeOf(check), (): Check[] => []).push(check);
  const groups = [...places].map(([place, checks]) => ({ checks, decider: deciderOf(place) }));
  return groups.sort((a, b) => Number(isShadow(a)) - Number(isShadow(b)));
}

/** Whether a group can refuse nothing. */
export function isShadow({ checks }: Group): boolean {
  return checks.every(({ shadow }) => shadow);
}
