// Why it is so: docs/why/verdicts.md

import type { Limit } from './limit.js';

/** The result of one limit: the state of the key after this decision has spent. */
export interface Verdict {
  /** The name of the limit. */
  readonly name: string;
  /** The limit that was checked. If the policy has tiers, it is the limit of the chosen tier. */
  readonly limit: Limit;
  /** The units that were asked for. It is 1 in the result of a correction. */
  readonly cost: number;
  /**
   * The unit of the quota, as the limit's item in the policy names it. Absent for requests and for a concurrency limit.
   */
  readonly quotaUnit?: string;
  /** Whether this limit alone allows the request. */
  readonly allowed: boolean;
  /**
   * Units that are available now; at least 0. If the decision refuses, nothing was spent, and these are the unspent
   * units.
   */
  readonly remaining: number;
  /**
   * Units that count now: units within the window, units missing from a bucket, or slots that are held. It can exceed
   * the limit after a later charge, or after the limit was lowered. A block does not change it.
   *
   * It is 0 where nothing is counted: for unlimited tiers, for skipped requests, and when `onStoreError` decides
   * without counting in place of a failed store.
   */
  readonly used: number;
  /** Milliseconds until the key, if it is not used, is back to its full quota; `'never'` if it does not refill. */
  readonly resetAfterMs: number | 'never';
  /**
   * Milliseconds until the same request would be allowed (a cost of 0 is taken as 1): 0 if it would be allowed now,
   * `'never'` if it cannot be. Also set on allowed verdicts.
   */
  readonly retryAfterMs: number | 'never';
  /** Milliseconds that an admitted request has to wait for its turn. 0 for every algorithm except the leaky bucket. */
  readonly delayMs: number;
  /**
   * Units of the request for which the limit has no room, so that only its margin or its guarantee admits them; absent
   * if there are none.
   */
  readonly overQuota?: number;
  /** Present if the key is blocked by hand, with `block`. Nothing is left then, and nothing is spent. */
  readonly blocked?: true;
  /**
   * Present if parts of the limit are guaranteed: whether this request is within the part of its tenant. If false, it
   * uses what others leave, or is refused.
   */
  readonly guaranteed?: boolean;
  /** Present if the limit is checked but not enforced. */
  readonly shadow?: true;
  /** Present on a shadow limit that header fields state (`enforce: 'mark'`). */
  readonly marked?: true;
}

/** The result of all limits of one request. */
export interface Decision {
  /** The name of the policy. */
  readonly policy: string;
  /** Whether the request is allowed: every enforced limit allows it. */
  readonly allowed: boolean;
  /** One verdict per limit, in the order of the policy. */
  readonly verdicts: readonly Verdict[];
  /**
   * The verdict that matters most to the caller. If the request is refused, it is the verdict with the longest wait. If
   * it is allowed, it is the verdict closest to refusing.
   */
  readonly tightest: Verdict;
  /**
   * 0 if the request is allowed. Otherwise milliseconds until every limit that refused would allow it; `'never'` if one
   * of them never would.
   */
  readonly retryAfterMs: number | 'never';
  /** Milliseconds that an admitted request has to wait for its turn: the longest `delayMs` of the verdicts. */
  readonly delayMs: number;
  /** Whether a limit that is not enforced would have refused. */
  readonly shadowed: boolean;
  /**
   * Present if a limit with `enforce: 'mark'` would have refused. In HTTP also if one of an outer policy would have. Use it to
   * serve less: a cached answer, or fewer results.
   */
  readonly exceeded?: true;
  /** Who decided: the store, or the choice of `onStoreError` in its place. */
  readonly source: 'store' | 'local' | 'allow' | 'deny';
}
