// Why it is so: docs/why/margins-and-guarantees.md

import { chargedChecks } from '../stores/check-parts.js';
import type { Correction, LimitCheck, PartCheck, StoreVerdict } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import type { Limit } from '../values/limit.js';
import { warn } from '../values/warning.js';
import type { ItemGuarantee } from './policy/guarantee.js';

/**
 * Returns the check of a limit with its parts.
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
  const partOf = (name: string, key: string, limit: Limit): PartCheck => ({
    policy,
    name,
    key,
    limit,
    cost,
    shadow: true,
    ...(calendarBoundsMs && { calendarBoundsMs }),
  });
  return { parts: { own: partOf(partName, tenant ?? key, part), all: partOf(totalName, key, total), lend }, ...check };
}

/** Names whose requests a limit refuses together: those of one key or, with a guarantee, of one tenant. */
export function refusedKeyOf({ key, parts }: LimitCheck): string {
  return parts ? `${parts.own.key.length}:${parts.own.key}${key}` : key;
}

/**
 * Returns a check that is charged, or given back, without a decision. The charge counts against the tenant's own part and against
 * the limit, but takes nothing of what is guaranteed to others.
 *
 * @param units - negative to give them back
 */
export function changeOf(check: LimitCheck, units: number): LimitCheck {
  if (check.parts === undefined) return { ...check, cost: units };
  const { own, all, lend } = check.parts;
  const parts = { own: { ...own, cost: units }, all: { ...all, cost: Math.min(0, units) }, lend };
  return { ...check, cost: units, parts };
}

/** A check that was charged, by itself. The parts of a limit are such checks, too. */
export interface HeldCheck extends Correction {
  /** Of a part: the name of the limit that it is a part of. */
  readonly itemName?: string;
  /** Of a part: whether it counts all parts together, and not the part of one tenant. */
  readonly countsAll?: boolean;
}

/** Returns what an allowed check was charged on. */
export function heldChecks(check: LimitCheck, verdict: StoreVerdict): readonly HeldCheck[] {
  const { parts, name: itemName } = check;
  return chargedChecks(check, verdict).map((charged): HeldCheck => {
    if (charged === parts?.own) return { itemName, countsAll: false, ...charged };
    return charged === parts?.all ? { itemName, countsAll: true, ...charged } : charged;
  });
}

/** Returns the name of the item that a check belongs to. */
export function itemNameOf({ itemName, name }: HeldCheck): string {
  return itemName ?? name;
}

/** Says in a verdict whether its request is guaranteed, in place of the verdicts of parts. */
type GuaranteeStep = (verdict: StoreVerdict, source: Decision['source']) => Verdict;

/** Returns the step of one limit. It warns once of a total that is too small. */
export function guaranteeStep(): GuaranteeStep {
  let hasWarned = false;
  return ({ parts, ...verdict }, source) => {
    // Nothing was counted.
    if (parts === undefined) return verdict;
    const { own, all } = parts;
    if (source === 'store' && isOverTotal(own, all) && !hasWarned) {
      hasWarned = true;
      warnOfTotal(verdict.name);
    }
    const isBlocked = own.blocked || all.blocked;
    return { ...verdict, ...(isBlocked && { blocked: true as const }), guaranteed: own.allowed };
  };
}

/** Whether the part of a tenant has room for its request, and all parts together have none. */
function isOverTotal(own: Verdict, all: Verdict): boolean {
  return own.retryAfterMs === 0 && all.retryAfterMs !== 0;
}

function warnOfTotal(name: string): void {
  warn(
    'SLUICE_TOTAL_EXCEEDED',
    `The limit ${JSON.stringify(name)} guarantees more than guarantee.total: a tenant has units left, the total has none. Raise the total or lower the guarantees.`,
  );
}
