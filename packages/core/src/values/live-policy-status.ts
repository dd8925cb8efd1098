/** What metrics show of policies that change while requests run. `policies()` of `@sluice/config` returns an object that tells it. */
export interface LivePolicyStatus {
  /** The revision of the file that decides now. */
  readonly revision: string;
  /** Whether limits refuse, only count (`shadow`), or are not asked at all (`off`). */
  readonly enforcement: 'on' | 'shadow' | 'off';
  /** How often a new text was applied, was the same, or was rejected since the start. */
  readonly reloads: { readonly applied: number; readonly unchanged: number; readonly rejected: number };
  /** How the newest reading went. */
  readonly lastReload: {
    /** Whether the newest text was applied, or was the same as before. */
    readonly successful: boolean;
    /** When a text was last applied or the same, in Unix milliseconds. */
    readonly succeededAtMs: number;
  };
  /** Every limit as it is now, in each tier. */
  readonly limits: readonly LimitStatus[];
  /** The names of the policies that their brake has taken back to shadow. */
  readonly braked: readonly string[];
}

/** One limit of a policy in one tier, as it is now. */
export interface LimitStatus {
  /** The name of the policy. */
  readonly policy: string;
  /** The name of the limit. */
  readonly limit: string;
  /** The tier; empty for a limit that is the same in all tiers. */
  readonly tier: string;
  /** The units that the limit admits: in its window, or at the same time. */
  readonly quota: number;
  /** The length of the window in milliseconds; undefined for a limit without one. */
  readonly windowMs: number | undefined;
  /** The share of keys for which it is enforced, from 0 to 1. */
  readonly enforce: number;
}
