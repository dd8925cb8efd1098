import type { LimitCheck } from '../stores/store.js';
import type { Verdict } from '../values/decision.js';
import type { Policy } from './policy/parse.js';

/** A shadow check that header fields state, and whose refusal marks the decision. Stores see a shadow check. */
interface MarkedCheck extends LimitCheck {
  readonly marked: true;
}

/** Returns the shadow check as one that is marked. */
export function marked(check: LimitCheck): LimitCheck {
  const own: MarkedCheck = { ...check, marked: true };
  return own;
}

/**
 * Writes into verdicts which of their checks are marked. There is one check for each verdict, in the same order. A repeated response
 * may be of a time when a limit was still enforced, and marks nothing then.
 */
export type MarkWriter = (verdicts: readonly Verdict[], checks: readonly LimitCheck[]) => readonly Verdict[];

/** Returns the writer of a policy's marks; undefined if no limit of the policy can be marked. */
export function markWriter({ items }: Pick<Policy<never>, 'items'>): MarkWriter | undefined {
  if (items.every(({ enforce }) => typeof enforce === 'number')) return undefined;
  return (verdicts, checks) =>
    verdicts.map((verdict, i) =>
      verdict.shadow && 'marked' in (checks[i] as LimitCheck) ? { ...verdict, marked: true } : verdict,
    );
}
