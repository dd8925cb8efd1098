import type { LivePolicyStatus } from '@sluice/core';
import type { Mistake } from '../file/mistake.js';

/** What live policies tell about themselves: what metrics show, and what an administrator asks. */
export interface PolicyStatus extends LivePolicyStatus {
  /** Where the text of the file that decides now came from. */
  readonly origin: string;
  /** Who says how far limits are enforced, if it is not the file: `SLUICE_ENFORCEMENT`, or the name given to `setEnforcement`. */
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
  /** The newest text, if it was rejected, and why. The revision is empty if the text could not be read. */
  readonly rejected?: {
    /** The revision of the text; empty if it could not be read. */
    readonly revision: string;
    /** Why it was rejected. */
    readonly mistakes: readonly Mistake[];
  };
}
