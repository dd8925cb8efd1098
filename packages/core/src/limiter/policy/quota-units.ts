import { ALGORITHMS } from '../../algorithms/definitions.js';
import type { Verdict } from '../../values/decision.js';
import type { Item } from './parse.js';

/** Says in verdicts, one per item of a policy and in their order, what their units are. */
export type UnitTeller = (verdicts: readonly Verdict[]) => readonly Verdict[];

/** The teller of a policy's units; undefined where all of them are requests, and there is nothing to say. */
export function unitTeller(items: readonly Pick<Item<never>, 'quotaUnit'>[]): UnitTeller | undefined {
  if (items.every(({ quotaUnit }) => quotaUnit === undefined)) return undefined;
  return (verdicts) => verdicts.map((verdict, i) => withUnit(verdict, items[i]?.quotaUnit));
}

/** The verdict with its unit. A tier may have chosen a limit that has a unit of its own, or none. */
export function withUnit(verdict: Verdict, quotaUnit: string | undefined): Verdict {
  if (quotaUnit === undefined) return verdict;
  const definition = ALGORITHMS[verdict.limit.algorithm];
  if (definition === undefined || definition.quotaUnit !== undefined) return verdict;
  return { ...verdict, quotaUnit };
}
