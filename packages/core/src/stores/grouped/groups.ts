import { ALGORITHMS } from '../../algorithms/definitions.js';
import { getOrCreate } from '../../values/get-or-create.js';
import type { DeadlineBudget } from '../deadline.js';
import type { Ask, Change, ChangeReply, Check, Reply } from '../store.js';

/** Decides about checks that are all within its reach, and corrects them, in one step. */
export interface Decider {
  /** @param budget - of the whole question, which the decider need not heed. */
  consume(ask: Ask, budget?: DeadlineBudget): Promise<Reply>;
  adjust(change: Change): Promise<ChangeReply>;
  /** Of a decider that is known to be gone, and is not asked: the error of whoever asks about these checks. */
  unavailable?(checks: readonly Check[]): Error | undefined;
}

/** The checks of a question that are within one decider's reach. */
export interface Group {
  readonly checks: readonly Check[];
  readonly decider: Decider;
}

/** The checks, grouped by the place where they are decided, which `placeOf` names. */
export function groupsOf<Place>(
  checks: readonly Check[],
  placeOf: (check: Check) => Place,
  deciderOf: (place: Place, checks: readonly Check[]) => Decider,
): readonly Group[] {
  const places = new Map<Place, Check[]>();
  for (const check of checks) getOrCreate(places, placeOf(check), (): Check[] => []).push(check);
  return [...places].map(([place, own]) => ({ checks: own, decider: deciderOf(place, own) }));
}

/**
 * Several groups in the order in which they have to be decided. What a leaky bucket has taken cannot be given back, so its
 * group comes after all that might refuse. Groups of nothing but shadows come last, since they spend only when the others
 * have; leaky buckets that are shadows are among them. To correct them they need not be apart, and an id of a
 * correction is good for one in each place.
 */
export function inTurn(groups: readonly Group[]): readonly Group[] {
  return groups.flatMap(withLeakyShadowsApart).sort((a, b) => turnOf(a) - turnOf(b));
}

/** Whether a group can refuse nothing. */
export function isShadow({ checks }: Group): boolean {
  return checks.every(({ shadow }) => shadow);
}

/** Whether what a group has spent cannot be given back in full. */
export function isLeaky({ checks }: Group): boolean {
  return checks.some(isLeakyBucket);
}

/** Whether what a check has spent cannot be given back. */
export function isLeakyBucket({ limit }: Check): boolean {
  return ALGORITHMS[limit.algorithm]?.canRefund === false;
}

function turnOf(group: Group): number {
  if (isShadow(group)) return 2;
  return isLeaky(group) ? 1 : 0;
}

function withLeakyShadowsApart({ checks, decider }: Group): readonly Group[] {
  const apart = checks.filter((check) => check.shadow && isLeakyBucket(check));
  const others = checks.filter((check) => !apart.includes(check));
  if (apart.length === 0 || others.length === 0) return [{ checks, decider }];
  return [
    { checks: others, decider },
    { checks: apart, decider: byOtherId(decider) },
  ];
}

/** In one place an id is good for one question and one correction. None of these checks holds a slot, which it would name. */
function byOtherId(decider: Decider): Decider {
  const renamed = ({ id }: Ask | Change): { readonly id?: string } => (id === undefined ? {} : { id: `${id}:apart` });
  return {
    consume: (ask, budget) => decider.consume({ ...ask, ...renamed(ask) }, budget),
    adjust: (change) => decider.adjust({ ...change, ...renamed(change) }),
  };
}
