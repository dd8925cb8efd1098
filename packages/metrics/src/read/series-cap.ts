// Why it is so: core/docs/why/metrics.md

import type { DurationHistogram, LimitMetrics, PolicyMetrics } from '@sluice/core';
import { sum } from './sum.js';

/** The name of all policies and limits that are not told apart. */
const OTHER = 'other';

/** So many limits of policies are told apart. A policy without a limit takes one place. */
export const MOST_PLACES = 1000;

/** The counters as they are shown, and whether some of them are counted together. */
interface CappedCounters {
  readonly counters: readonly PolicyMetrics[];
  readonly isCapped: boolean;
}

/** The names of a policy and of its limits. */
interface Named {
  readonly policy: string;
  readonly limits: readonly { readonly name: string }[];
}

/**
 * Keeps the number of series bounded, whatever a program names its policies: the first 1,000 limits are told apart, and
 * all others are counted together as `other`. A name that was shown stays shown, so no counter ever goes down.
 */
export class SeriesCap {
  /** The names of the limits that are told apart, by their policy. */
  readonly #limits = new Map<string, Set<string>>();
  #left = MOST_PLACES;

  apply(policies: readonly PolicyMetrics[]): CappedCounters {
    const { shown, others } = this.#sort(policies);
    const counters = shown.map(({ own, limits }) => withOther(own, limits));
    const isCapped = others.length > 0 || counters.some((own, i) => own !== shown[i]?.own);
    return { counters: others.length > 0 ? withOthers(counters, others) : counters, isCapped };
  }

  /** Returns the names by which a limit of a policy is shown; without a limit, the policy alone. */
  namesOf(policy: string, limit?: string): readonly string[] {
    const limits = limit === undefined ? [] : [{ name: limit }];
    const admitted = this.#admit({ policy, limits });
    if (!admitted) return [OTHER, ...limits.map(() => OTHER)];
    return [policy, ...limits.map(({ name }) => (admitted.has(name) ? name : OTHER))];
  }

  #sort(policies: readonly PolicyMetrics[]) {
    const shown: { readonly own: PolicyMetrics; readonly limits: ReadonlySet<string> }[] = [];
    const others: PolicyMetrics[] = [];
    for (const own of policies) {
      const limits = this.#admit(own);
      if (limits) shown.push({ own, limits });
      else others.push(own);
    }
    return { shown, others };
  }

  /** Returns the limits of a policy that are told apart; undefined if the policy is not. */
  #admit({ policy, limits }: Named): ReadonlySet<string> | undefined {
    const known = this.#limits.get(policy);
    if (!known && Math.max(limits.length, 1) > this.#left) {
      // What is counted as `other` once stays there, so that its counters never go down.
      this.#left = 0;
      return undefined;
    }
    const admitted = known ?? new Set<string>();
    if (!known) this.#limits.set(policy, admitted);
    if (limits.length === 0 && !known) this.#left -= 1;
    for (const { name } of limits) {
      if (this.#left === 0) break;
      if (!admitted.has(name)) this.#left -= 1;
      admitted.add(name);
    }
    return admitted;
  }
}

/** Returns the counters themselves if all of their limits are told apart. */
function withOther(counters: PolicyMetrics, admitted: ReadonlySet<string>): PolicyMetrics {
  const isShown = ({ name }: LimitMetrics): boolean => admitted.has(name);
  if (counters.limits.every(isShown)) return counters;
  // A limit that is really named so is one of the others, too.
  const shown = counters.limits.filter((limit) => isShown(limit) && limit.name !== OTHER);
  return { ...counters, limits: [...shown, addLimits(counters.limits.filter((limit) => !shown.includes(limit)))] };
}

function withOthers(shown: readonly PolicyMetrics[], others: readonly PolicyMetrics[]): readonly PolicyMetrics[] {
  const named = shown.filter(({ policy }) => policy === OTHER);
  return [...shown.filter(({ policy }) => policy !== OTHER), addPolicies([...named, ...others])];
}

function addPolicies(policies: readonly PolicyMetrics[]): PolicyMetrics {
  const limits = policies.flatMap((counters) => counters.limits);
  return {
    policy: OTHER,
    decisions: {
      allowed: addNumbers(policies.map(({ decisions }) => decisions.allowed)),
      shadowed: addNumbers(policies.map(({ decisions }) => decisions.shadowed)),
      refused: addNumbers(policies.map(({ decisions }) => decisions.refused)),
    },
    skipped: addNumbers(policies.map(({ skipped }) => skipped)),
    storeErrors: addNumbers(policies.map(({ storeErrors }) => storeErrors)),
    waiting: sum(policies.map(({ waiting }) => waiting)),
    waits: addDurations(policies.map(({ waits }) => waits)),
    limits: limits.length > 0 ? [addLimits(limits)] : [],
  };
}

/** Their numbers are added; limits themselves are different, so none is shown. */
function addLimits(limits: readonly LimitMetrics[]): LimitMetrics {
  return {
    name: OTHER,
    checks: addNumbers(limits.map(({ checks }) => checks)),
    allowedByTenths: addLists(limits.map(({ allowedByTenths }) => allowedByTenths)),
    unitsSpent: sum(limits.map(({ unitsSpent }) => unitsSpent)),
    unitsReturned: sum(limits.map(({ unitsReturned }) => unitsReturned)),
    slotsInUse: sum(limits.map(({ slotsInUse }) => slotsInUse)),
    hasSlots: limits.some(({ hasSlots }) => hasSlots),
    delays: addDurations(limits.map(({ delays }) => delays)),
  };
}

function addDurations(durations: readonly DurationHistogram[]): DurationHistogram {
  return {
    upToMs: durations[0]?.upToMs ?? [],
    counts: addLists(durations.map(({ counts }) => counts)),
    sumMs: sum(durations.map(({ sumMs }) => sumMs)),
  };
}

function addNumbers<T extends Readonly<Record<string, number>>>(records: readonly T[]): T {
  const names = Object.keys(records[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, sum(records.map((record) => record[name] ?? 0))])) as T;
}

function addLists(lists: readonly (readonly number[])[]): readonly number[] {
  return (lists[0] ?? []).map((_, index) => sum(lists.map((list) => list[index] ?? 0)));
}
