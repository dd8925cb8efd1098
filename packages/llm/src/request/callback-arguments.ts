import type { Decision } from '@sluice/core';

/** The arguments of a callback that gets the decision last. */
export type DecisionArguments<A extends readonly unknown[]> = readonly [...args: A, decision: Decision];

/** Returns the decision of a callback. */
export function decisionOf<A extends readonly unknown[]>(params: DecisionArguments<A>): Decision {
  // TypeScript does not know the last element of a list whose beginning is generic.
  return params.at(-1) as Decision;
}
