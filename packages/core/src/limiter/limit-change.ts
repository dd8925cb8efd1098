import type { LimitCheck } from '../stores/store.js';
import type { Limit } from '../values/limit.js';
import type { Item } from './policy/parse.js';

/** Returns a check with the numbers that its limit has now. */
export type LimitChange = <C extends LimitCheck>(check: C) => C;

/**
 * Returns a function that gives checks of an earlier policy the limits of this one. A state is always read by the
 * current numbers: those of a smaller limit would cut the units that a larger one has admitted.
 *
 * A check stays as it is if the policy has no such limit, if its algorithm or its calendar is another one, because then
 * it has another state, or if a function chooses the limit, because a function needs the request.
 */
export function limitChange<A extends readonly unknown[]>(items: readonly Item<A>[]): LimitChange {
  const limits = new Map<string, Limit>(items.flatMap(limitsOf));
  return (check) => {
    const limit = limits.get(check.name);
    const isSame = limit === undefined || limit === check.limit || !haveOneState(limit, check.limit);
    return isSame ? check : { ...check, limit };
  };
}

/** The limits of an item that every request has, by the names that stores count them under. */
function limitsOf<A extends readonly unknown[]>(item: Item<A>): readonly (readonly [string, Limit])[] {
  const { name, limit, guarantee } = item;
  if (typeof limit === 'function') return [];
  return guarantee
    ? [
        [name, limit],
        [guarantee.totalName, guarantee.total],
      ]
    : [[name, limit]];
}

function haveOneState(one: Limit, other: Limit): boolean {
  return one.algorithm === other.algorithm && JSON.stringify(one.calendar) === JSON.stringify(other.calendar);
}
