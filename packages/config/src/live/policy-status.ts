import type { Mistake } from '../file/mistake.js';
import type { Enforcement } from '../file/policy-file.js';

/** What live policies tell about themselves: what metrics show, and what an administrator asks. */
export interface PolicyStatus {
  /** The revision of the file that decides now. */
  readonly revision: string;
  /** Where its text came from. */
  readonly origin: string;
  readonly enforcement: Enforcement;
  /** Who says so, if it is not the file: `SLUICE_ENFORCEMENT`, or the name given to `setEnforcement`. */
  readonly enforcementBy?: string;
  /** When that ends, in Unix milliseconds, if `setEnforcement` has set it. */
  readonly enforcementUntilMs?: number;
  /** Why it was set. */
  readonly enforcementReason?: string;
  /**
   * Why the kill switch and the brakes of other instances cannot be read now: what was read last holds, until its end. Absent if
   * they can, or if there are no `controls`.
   */
  readonly controlsTrouble?: string;
  /** How often a new text was applied, was the same, or was rejected since the start. */
  readonly reloads: { readonly applied: number; readonly unchanged: number; readonly rejected: number };
  readonly lastReload: {
    /** Whether the newest text was applied, or was the same as before. */
    readonly successful: boolean;
    /** When a text was last applied or the same, in Unix milliseconds. */
    readonly succeededAtMs: number;
  };
  /** The newest text, if it was rejected, and why. The revision is empty if the text could not be read. */
  readonly rejected?: { readonly revision: string; readonly mistakes: readonly Mistake[] };
  /** Every limit as it is now, in each tier. */
  readonly limits: readonly LimitStatus[];
  /** The names of the policies that their brake has taken back to shadow. */
  readonly braked: readonly string[];
}

/** One limit of a policy in one tier, as it is now. */
export interface LimitStatus {
  readonly policy: string;
  readonly limit: string;
  /** The tier; empty for a limit that is the same in all tiers. */
  readonly tier: string;
  readonly quota: number;
  /** The length of the window in milliseconds; undefined for a limit without one. */
  readonly windowMs: number | undefined;
  /** The share of keys for which it is enforced, from 0 to 1. */
  readonly enforce: number;
}
