import type { HeaderFields } from '../headers/fields.js';
import type { DoubleCountWarning } from './double-count-warning.js';

/** The place where a policy counts, and its name there. */
export interface Counter {
  readonly store: object;
  readonly policy: string;
}

/** Whether two policies are one and the same. */
export function isSameCounter(one: Counter, other: Counter): boolean {
  return one.store === other.store && one.policy === other.policy;
}

/** A policy that requests pass. */
export interface PassedPolicy {
  readonly counter: Counter;
  readonly doubleCount: DoubleCountWarning;
  readonly fields: HeaderFields;
  /** The names, in lower case, of all fields that the policy may send. */
  readonly names: ReadonlySet<string>;
  /** Whether it sends fields other than those that say how long to wait. */
  readonly statesLimits: boolean;
}
