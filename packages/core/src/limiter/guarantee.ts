import type { Check } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import type { Limit } from '../values/limit.js';
import { warn } from '../values/warning.js';
import type { ItemGuarantee } from './policy/guarantee.js';
import type { Item } from './policy/parse.js';

/** A check that only helps to decide about the limit of an item. Decisions have no verdict of it. */
interface PartCheck extends Check {
  /** The name of the item. */
  readonly itemName: string;
  /** Whether it counts all parts together, and not the part of one tenant. */
  readonly countsAll: boolean;
}

/**
 * Returns the checks of a limit with a guarantee: the part of the tenant, all parts together, and the limit.
 *
 * @param tenant - the encoded key of the tenant; undefined if there is none
 */
export function withParts<G extends Omit<ItemGuarantee<never>, 'part'>>(
  check: Check,
  { partName, totalName, nothing, total, lend }: G,
  tenant: string | undefined,
  part: Limit = nothing,
): readonly Check[] {
  const { policy, key, cost, edgesMs } = check;
  const shared = { policy, cost, shadow: true, itemName: check.name, ...(edgesMs && { edgesMs }) } as const;
  const own: PartCheck = { ...shared, name: partName, key: tenant ?? key, limit: part, countsAll: false };
  const all: PartCheck = { ...shared, name: totalName, key, limit: total, countsAll: true };
  return [own, all, { ...check, lend }];
}

/** Whether a check has no verdict of its own in a decision. */
export function isPart(check: Check): check is PartCheck {
  return 'itemName' in check;
}

/** Returns the name of the item that a check belongs to. */
export function itemNameOf(check: Check): string {
  return isPart(check) ? check.itemName : check.name;
}

/**
 * Whether units may be charged on this check after the request. A late cost counts against the tenant's own part and
 * against the limit, but takes nothing of what is guaranteed to others.
 */
export function takesLateCharges(check: Check): boolean {
  return !isPart(check) || !check.countsAll;
}

/** Returns the check as it is corrected: by itself. */
export function alone<C extends Check>(check: C): C {
  if (check.lend === undefined) return check;
  const { lend: _, ...own } = check;
  return own as C;
}

/** Returns the names under which the limit of an item is counted. */
export function countedNames<A extends readonly unknown[]>({ name, guarantee }: Item<A>): readonly string[] {
  return guarantee ? [name, guarantee.partName, guarantee.totalName] : [name];
}

/** Reduces checks and their verdicts to one of each item. */
export type PartFolder = (
  checks: readonly Check[],
  verdicts: readonly Verdict[],
  source: Decision['source'],
) => { readonly checks: readonly Check[]; readonly verdicts: readonly Verdict[] };

/** Returns the function that leaves parts out of a policy's decisions; undefined if no limit has any. */
export function partFolder<A extends readonly unknown[]>(items: readonly Item<A>[]): PartFolder | undefined {
  if (items.every(({ guarantee }) => guarantee === undefined)) return undefined;
  const exceeded = new Set<string>();
  return (checks, verdicts, source) => {
    const kept = checks.map((_, i) => i).filter((i) => !isPart(checks[i] as Check));
    const isCounted = source === 'store' || source === 'local';
    return {
      checks: kept.map((i) => checks[i] as Check),
      verdicts: kept.map((i) => {
        const verdict = verdicts[i] as Verdict;
        if (checks[i]?.lend === undefined || !isCounted) return verdict;
        const [part, all] = [verdicts[i - 2] as Verdict, verdicts[i - 1] as Verdict];
        if (source === 'store' && isOverTotal(part, all) && !exceeded.has(verdict.name)) {
          exceeded.add(verdict.name);
          warnOfTotal(verdict.name);
        }
        const isBlocked = part.blocked || all.blocked;
        return { ...verdict, ...(isBlocked && { blocked: true as const }), guaranteed: part.allowed };
      }),
    };
  };
}

/** Whether the part of a tenant has room for its request, and all parts together have none. */
function isOverTotal(part: Verdict, all: Verdict): boolean {
  return part.retryAfterMs === 0 && all.retryAfterMs !== 0;
}

function warnOfTotal(name: string): void {
  warn(
    'SLUICE_TOTAL_EXCEEDED',
    `The limit ${JSON.stringify(name)} guarantees more than guarantee.total: a tenant has units of its part left, and the total has none. Raise the total, or lower the guarantees, so that they add up to at most the total.`,
  );
}
