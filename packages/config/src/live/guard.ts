import type { PolicyChange } from '../diff/policy-change.js';
import type { PolicyFile } from '../file/policy-file.js';

/** A number that changes more than this, in either direction, is more likely a typing error. */
const MOST_TIMES = 10;

/** Whoever has fewer customers than this in a file may well remove most of them. */
const FEW_CUSTOMERS = 10;

/** Names, in a set or a map. */
type Names = Pick<ReadonlySet<string>, 'has' | 'keys' | 'size'>;

/**
 * Returns what makes a change of a file look like an accident, in sentences: more than half of the limits or of
 * many customers are gone, or a number is more than ten times larger or smaller. Empty if nothing does.
 */
export function suspicionsOf(old: PolicyFile, next: PolicyFile, changes: readonly PolicyChange[]): readonly string[] {
  const numbers = changes
    .filter(({ factor }) => factor !== undefined && isTooFar(factor))
    .map(({ sentence }) => sentence);
  return [...goneLimits(old, next), ...numbers];
}

function isTooFar(factor: number): boolean {
  return factor > MOST_TIMES || factor < 1 / MOST_TIMES;
}

function goneLimits(old: PolicyFile, next: PolicyFile): string[] {
  return [
    ...goneOf('limits of policies', limitsOfPolicies(old), limitsOfPolicies(next)),
    ...goneOf('limits of tiers', limitsOfTiers(old), limitsOfTiers(next)),
    ...(old.customers.size < FEW_CUSTOMERS ? [] : goneOf('customers', old.customers, next.customers)),
  ];
}

function goneOf(what: string, old: Names, next: Names): string[] {
  let gone = 0;
  for (const name of old.keys()) if (!next.has(name)) gone += 1;
  return gone > old.size / 2 ? [`${gone} of ${old.size} ${what} are gone.`] : [];
}

function limitsOfPolicies({ policies }: PolicyFile): ReadonlySet<string> {
  const names = [...policies].flatMap(([policy, { limits }]) =>
    limits.map(({ name }) => JSON.stringify([policy, name])),
  );
  return new Set(names);
}

function limitsOfTiers({ tiers }: PolicyFile): ReadonlySet<string> {
  const names = [...tiers].flatMap(([tier, limits]) => [...limits.keys()].map((name) => JSON.stringify([tier, name])));
  return new Set(names);
}
