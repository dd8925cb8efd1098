import { returnRuleOf, takesBack } from '../../algorithms/returns.js';
import { SluiceError } from '../../values/error.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { usesSlots } from '../../values/limit.js';
import type { DeadlineBudget } from '../deadline.js';
import type { Ask, Change, ChangeReply, Check, Reply } from '../store.js';

/** Decides checks, and corrects them, in one step. All of these checks are within its reach. */
export interface Decider {
  /** @param budget - the time for the whole ask; a decider may ignore it */
  consume(ask: Ask, budget?: DeadlineBudget): Promise<Reply>;
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

/**
 * Returns the groups in the order in which they have to be decided. Slots come first: whether they are held says whether an
 * operation has ended, and one group has to say so for all calls that come at the same time. A leaky bucket gives nothing back, so
 * its group comes after all groups that might refuse. Before it come the groups of token buckets, which may lose a little of
 * what they give back. Groups of shadow checks come last, because they spend only if the others have spent. Leaky buckets that
 * are shadow checks, or beside slots, leave their group for their own turn. Corrections do not need this order; they use an id
 * once per place.
 */
export function inTurn(groups: readonly Group[]): readonly Group[] {
  return groups.flatMap(withLeakyApart).sort((a, b) => turnOf(a) - turnOf(b));
}

/**
 * Checks that the parts of each guarantee are in the group of their limit, which decides about them together.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`
 */
export function checkGuarantees(checks: readonly Check[], groups: readonly Group[]): void {
  for (const [i, { lend, name }] of checks.entries()) {
    if (lend === undefined) continue;
    const triple = checks.slice(Math.max(0, i - 2), i + 1);
    if (groups.some((group) => triple.every((check) => group.checks.includes(check)))) continue;
    const message = `the limit ${JSON.stringify(name)} has a guarantee, and its keys are counted in different places: count each policy in one place, with hashTag: 'policy' of a RedisStore`;
    throw new SluiceError('SLUICE_UNSUPPORTED', message);
  }
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

function turnOf(group: Group): number {
  if (holdsSlots(group)) return 0;
  if (isShadow(group)) return 4;
  if (isLeaky(group)) return 3;
  return isLevel(group) ? 2 : 1;
}

function holdsSlots({ checks }: Group): boolean {
  return checks.some(({ limit }) => usesSlots(limit));
}

function withLeakyApart(group: Group): readonly Group[] {
  const { checks, decider } = group;
  const hasSlots = holdsSlots(group);
  const apart = checks.filter((check) => isLeakyBucket(check) && (hasSlots || check.shadow));
  const others = checks.filter((check) => !apart.includes(check));
  if (apart.length === 0 || others.length === 0) return [{ checks, decider }];
  return [
    { checks: others, decider },
    { checks: apart, decider: byOtherId(decider) },
  ];
}

/**
 * In one place an id is valid for one ask and one correction, so these checks need another id. None of them holds a
 * slot, which the id would name.
 */
function byOtherId(decider: Decider): Decider {
  const renamed = ({ id }: Ask | Change): { readonly id?: string } => (id === undefined ? {} : { id: `${id}:apart` });
  return {
    consume: (ask, budget) => decider.consume({ ...ask, ...renamed(ask) }, budget),
    adjust: (change) => decider.adjust({ ...change, ...renamed(change) }),
  };
}
