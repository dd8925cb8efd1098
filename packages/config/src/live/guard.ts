// Why it is so: core/docs/why/policy-files.md

import { boundOf } from '@sluice/core';
import type { PolicyChange } from '../diff/policy-change.js';
import type { PolicyFile } from '../file/policy-file.js';
import { sharedLimits } from './shared-limits.js';

/** A number that changes more than this, in either direction, is more likely a typing error. */
const MOST_TIMES = 10;

/** Whoever has fewer customers than this in a file may well remove most of them. */
const FEW_CUSTOMERS = 10;

/** Names, in a set or a map. */
type Names = Pick<ReadonlySet<string>, 'has' | 'keys' | 'size'>;

/**
 * Returns what makes a change of a file look like an accident, in sentences: more than half of the limits or of
 * many customers are gone, a number is more than ten times larger or smaller, or a limit admits so much more or less in a
 * day. Empty if nothing does. Policies that are gone are told by `removedPolicies`.
 */
export function suspicionsOf(old: PolicyFile, next: PolicyFile, changes: readonly PolicyChange[]): readonly string[] {
  return [...goneLimits(old, next), ...farNumbers(old, next, changes)];
}

/** Returns the numbers that change too far between two files, in sentences: also of files that others came between. */
export function farNumbers(old: PolicyFile, next: PolicyFile, changes: readonly PolicyChange[]): readonly string[] {
  const numbers = changes.filter(({ factor }) => factor !== undefined && isTooFar(factor));
  const paths = numbers.map(({ path }) => path);
  return [...numbers.map(({ sentence }) => sentence), ...farLimits(old, next, paths)];
}

/** Returns the names of the policies that a file has no more: whoever asks for one by its old name is not limited by it. */
export function removedPolicies(old: PolicyFile, next: PolicyFile): readonly string[] {
  return [...old.policies.keys()].filter((name) => !next.policies.has(name));
}

/**
 * Returns the limits that admit far more or less than before although no number of theirs says so: another algorithm has other
 * numbers, and ten times the limit in a tenth of the window is a hundred times as much.
 *
 * @param suspicious - the paths of numbers that are suspicious by themselves
 */
function farLimits(old: PolicyFile, next: PolicyFile, suspicious: readonly string[]): string[] {
  return sharedLimits(old, next).flatMap((shared) => {
    if (suspicious.some((path) => path.startsWith(`${shared.path}.`))) return [];
    const [from, to] = [boundOf(shared.old, '1d'), boundOf(shared.next, '1d')];
    if (!isTooFar(to / from)) return [];
    return [`${shared.place}: it admits at most ${unitsOf(to)} in a day instead of ${unitsOf(from)}.`];
  });
}

const unitsOf = (units: number): string =>
  units === Number.POSITIVE_INFINITY ? 'any number of units' : `${units.toLocaleString('en')} units`;

function isTooFar(factor: number): boolean {
  return factor > MOST_TIMES || factor < 1 / MOST_TIMES;
}

function goneLimits(old: PolicyFile, next: PolicyFile): string[] {
  return [
    ...goneOf('limits of policies', limitsOfPolicies(old, next), limitsOfPolicies(next, next)),
    ...goneOf('limits of tiers', limitsOfTiers(old), limitsOfTiers(next)),
    ...(old.customers.size < FEW_CUSTOMERS ? [] : goneOf('customers', old.customers, next.customers)),
  ];
}

function goneOf(what: string, old: Names, next: Names): string[] {
  let gone = 0;
  for (const name of old.keys()) if (!next.has(name)) gone += 1;
  return gone > old.size / 2 ? [`${gone} of ${old.size} ${what} are gone.`] : [];
}

/** The limits of the policies that another file has, too. */
function limitsOfPolicies({ policies }: PolicyFile, other: PolicyFile): ReadonlySet<string> {
  const names = [...policies].flatMap(([policy, { limits }]) =>
    other.policies.has(policy) ? limits.map(({ name }) => JSON.stringify([policy, name])) : [],
  );
  return new Set(names);
}

function limitsOfTiers({ tiers }: PolicyFile): ReadonlySet<string> {
  const names = [...tiers].flatMap(([tier, limits]) => [...limits.keys()].map((name) => JSON.stringify([tier, name])));
  return new Set(names);
}
