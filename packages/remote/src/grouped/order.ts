// Why it is so: core/docs/why/several-servers.md

import type { Change, StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import { usesSlots } from '@sluice/core/src/values/limit';
import { type GroupedRequest, isRefusal, type Outcome, peekAll } from './grouped-request.js';
import { type Decider, type Group, isLeaky, isLeakyBucket, isLevel, isShadow } from './groups.js';

/**
 * Returns the groups in the order in which they are asked:
 *
 * 1. Slots. Whether they are held says whether an operation has ended, and one group has to say so for all calls that come at the
 *    same time.
 * 2. Windows, which give back all that they have spent.
 * 3. Token buckets, which may lose a little of what they give back.
 * 4. Leaky buckets, which give nothing back: their group comes after all groups that might refuse.
 * 5. Shadow checks, which spend only if the others have spent.
 *
 * Leaky buckets that are shadow checks, or beside slots, leave their group for their own turn. Corrections need no order: they use
 * an id once per place.
 */
export function inTurn(groups: readonly Group[]): readonly Group[] {
  return groups.flatMap(withLeakyApart).sort((a, b) => turnOf(a) - turnOf(b));
}

function turnOf(group: Group): number {
  if (holdsSlots(group)) return 1;
  if (isShadow(group)) return 5;
  if (isLeaky(group)) return 4;
  return isLevel(group) ? 3 : 2;
}

function holdsSlots({ checks }: Group): boolean {
  return checks.some(({ limit }) => usesSlots(limit));
}

function withLeakyApart(group: Group): readonly Group[] {
  const { checks, decider } = group;
  const hasSlots = holdsSlots(group);
  const apart = checks.filter((check) => isLeakyBucket(check) && (hasSlots || check.shadow));
  const others = checks.filter((check) => !apart.includes(check));
  if (apart.length === 0 || others.length === 0) return [group];
  return [
    { checks: others, decider },
    { checks: apart, decider: byOtherId(decider) },
  ];
}

/**
 * In one place an id is valid for one request and one correction, so these checks need another id. None of them holds a
 * slot, which the id would name.
 */
function byOtherId(decider: Decider): Decider {
  const renamed = ({ id }: StoreRequest | Change): { readonly id?: string } =>
    id === undefined ? {} : { id: `${id}:apart` };
  return {
    consume: (request, budget) => decider.consume({ ...request, ...renamed(request) }, budget),
    adjust: (change) => decider.adjust({ ...change, ...renamed(change) }),
  };
}

/**
 * Looks at the groups after this index. The first one that would refuse is put at this index: it is asked next, and so its
 * refusal is recorded and remembered like any other.
 */
export async function refusingNext(grouped: GroupedRequest, index: number): Promise<GroupedRequest> {
  const { groups } = grouped;
  const later = groups.slice(index + 1).filter((group) => !isShadow(group));
  if (later.length === 0) return grouped;
  const outcomes = await peekAll(grouped, later);
  const refusing = later.find((_, i) => isRefusal(outcomes[i] as Outcome));
  if (!refusing) return grouped;
  const others = groups.slice(index).filter((group) => group !== refusing);
  return { ...grouped, groups: [...groups.slice(0, index), refusing, ...others] };
}

/**
 * Returns the request for later groups. They get the attempt that the first one has decided, so that one attempt names the slots and
 * corrections of all of them. A group that has admitted another attempt decides anew: its charge is that of an operation which has
 * ended. The first group knows that, because slots come first.
 */
export function inSameAttempt(request: StoreRequest, { attempt }: StoreResponse): StoreRequest {
  return attempt === undefined ? request : { ...request, attempt, onlyAttempt: true };
}
