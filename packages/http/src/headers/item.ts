import { takesBack } from '@sluice/core/src/algorithms/returns';
import type { Verdict } from '@sluice/core/src/values/decision';

/** A verdict as header fields state it: its name is different from all others of the request. See `namedApart`. */
export type HeaderItem = Verdict;

/** Whether a limit is advertised to clients: it is enforced, or marks requests, and it is not unlimited. */
export function isAdvertised({ limit, shadow, marked }: Verdict): boolean {
  return (shadow !== true || marked === true) && limit.algorithm !== 'unlimited';
}

/** Returns the item of a charge as it is after the charge has been given back. A leaky bucket gives nothing back. */
export function givenBack(item: HeaderItem): HeaderItem {
  const { allowed, limit, cost, resetAfterMs } = item;
  if (!allowed || !takesBack(limit)) return item;
  const used = Math.max(0, item.used - cost);
  const remaining = Math.min(item.remaining + cost, Math.max(item.remaining, limit.quota - used));
  return { ...item, used, remaining, resetAfterMs: used === 0 ? 0 : resetAfterMs };
}

/**
 * Returns the name of a limit in the header fields of a request with several policies: its own name if no earlier item
 * has it; otherwise `policy:name`, then `policy:name:2` and so on, for example for a policy that runs twice.
 */
export function uniqueName(name: string, policy: string, earlier: readonly { readonly name: string }[]): string {
  if (!isTaken(name, earlier)) return name;
  const qualified = `${policy}:${name}`;
  let candidate = qualified;
  for (let count = 2; isTaken(candidate, earlier); count += 1) candidate = `${qualified}:${count}`;
  return candidate;
}

function isTaken(name: string, earlier: readonly { readonly name: string }[]): boolean {
  for (const item of earlier) if (item.name === name) return true;
  return false;
}

/** Returns verdicts under names that differ from each other and from those of earlier items: see `uniqueName`. */
export function namedApart(
  verdicts: readonly Verdict[],
  policy: string,
  earlier: readonly HeaderItem[],
): readonly HeaderItem[] {
  const all = [...earlier];
  for (const verdict of verdicts) {
    const name = uniqueName(verdict.name, policy, all);
    all.push(name === verdict.name ? verdict : { ...verdict, name });
  }
  return all.slice(earlier.length);
}
