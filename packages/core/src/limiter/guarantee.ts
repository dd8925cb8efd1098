// Why it is so: docs/why/margins-and-guarantees.md

import type { LimitCheck } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import type { Limit } from '../values/limit.js';
import { warn } from '../values/warning.js';
import type { ItemGuarantee } from './policy/guarantee.js';
import type { Item } from './policy/parse.js';

/** A check of the store that only helps to decide about the limit of an item. */
export interface PartCheck extends LimitCheck {
  /** The name of the item. */
  readonly itemName: string;
  /** Whether it counts all parts together, and not the part of one tenant. */
  readonly countsAll: boolean;
}

/** The check of a limit with a guarantee, as the limiter passes it on. A store gets its parts before it. */
interface GuaranteedCheck extends LimitCheck {
  readonly lend: number;
  readonly parts: readonly [own: PartCheck, all: PartCheck];
}

/**
 * Returns the check of a limit with its guarantee.
 *
 * @param tenant - the encoded key of the tenant; undefined if there is none
 */
export function guaranteed<A extends readonly unknown[]>(
  check: LimitCheck,
  { partName, totalName, nothing, total, lend }: ItemGuarantee<A>,
  tenant: string | undefined,
  part: Limit = nothing,
): LimitCheck {
  const { policy, key, cost, calendarBoundsMs } = check;
  const shared = {
    policy,
    cost,
    shadow: true,
    itemName: check.name,
    ...(calendarBoundsMs && { calendarBoundsMs }),
  } as const;
  const own: PartCheck = { ...shared, name: partName, key: tenant ?? key, limit: part, countsAll: false };
  const all: PartCheck = { ...shared, name: totalName, key, limit: total, countsAll: true };
  const whole: GuaranteedCheck = { ...check, lend, parts: [own, all] };
  return whole;
}

/** Whether a check has parts that a store has to count, too. */
export function hasParts(check: LimitCheck): check is GuaranteedCheck {
  return 'parts' in check;
}

/** Returns the checks that a store has to decide in place of this one. */
export function countedChecks(check: LimitCheck): readonly LimitCheck[] {
  if (!hasParts(check)) return [check];
  const { cost } = check;
  return [...check.parts.map((part) => ({ ...part, cost })), check];
}

/** Names whose requests a limit refuses together: those of one key or, with a guarantee, of one tenant. */
export function refusedKeyOf(check: LimitCheck): string {
  return hasParts(check) ? `${check.parts[0].key.length}:${check.parts[0].key}${check.key}` : check.key;
}

/** Whether a check only helps to decide about another one. */
export function isPart(check: LimitCheck): check is PartCheck {
  return 'itemName' in check;
}

/** Returns the name of the item that a check belongs to. */
export function itemNameOf(check: LimitCheck): string {
  return isPart(check) ? check.itemName : check.name;
}

/**
 * Whether units may be charged on this check after the request. A late cost counts against the tenant's own part and
 * against the limit, but takes nothing of what is guaranteed to others.
 */
export function takesLateCharges(check: LimitCheck): boolean {
  return !isPart(check) || !check.countsAll;
}

/** Returns the check as it is corrected: by itself. */
export function alone<C extends LimitCheck>(check: C): C {
  if (check.lend === undefined) return check;
  const { lend: _, ...own } = check;
  return own as C;
}

/** Makes one verdict of those about a limit and its parts. */
export type PartFolder = (whole: Verdict, own: Verdict, all: Verdict, source: Decision['source']) => Verdict;

/** Returns the function that leaves parts out of a policy's decisions; undefined if no limit has any. */
export function partFolder<A extends readonly unknown[]>(items: readonly Item<A>[]): PartFolder | undefined {
  if (items.every(({ guarantee }) => guarantee === undefined)) return undefined;
  const exceeded = new Set<string>();
  return (whole, own, all, source) => {
    // Nothing was counted.
    if (source === 'allow' || source === 'deny') return whole;
    if (source === 'store' && isOverTotal(own, all) && !exceeded.has(whole.name)) {
      exceeded.add(whole.name);
      warnOfTotal(whole.name);
    }
    const isBlocked = own.blocked || all.blocked;
    return { ...whole, ...(isBlocked && { blocked: true as const }), guaranteed: own.allowed };
  };
}

/** Whether the part of a tenant has room for its request, and all parts together have none. */
function isOverTotal(own: Verdict, all: Verdict): boolean {
  return own.retryAfterMs === 0 && all.retryAfterMs !== 0;
}

function warnOfTotal(name: string): void {
  warn(
    'SLUICE_TOTAL_EXCEEDED',
    `The limit ${JSON.stringify(name)} guarantees more than guarantee.total: a tenant has units of its part left, and the total has none. Raise the total, or lower the guarantees, so that they add up to at most the total.`,
  );
}
