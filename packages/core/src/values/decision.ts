import type { Limit } from './limit.js';

/** The answer about one limit, as things stand after what this answer spent. */
export interface Verdict {
  /** The limit's name. */
  readonly name: string;
  /** The limit that was asked; of a tier, the one that was chosen. */
  readonly limit: Limit;
  /** Units that were asked for; 1 where nothing was asked for, in the answer to a correction. */
  readonly cost: number;
  /** What a unit is, as the limit's item says; absent for requests, and for a concurrency limit. */
  readonly quotaUnit?: string;
  /** Whether this limit, by itself, lets the request pass. */
  readonly allowed: boolean;
  /** Units that fit now; never below 0. When the decision refuses, what is unspent. */
  readonly remaining: number;
  /**
   * Units that count now: those within the window, those that are missing from a bucket, slots that are held. More than
   * the limit where it was passed, by a charge or a limit that was lowered. A block does not change it. 0 where nothing is
   * counted: unlimited tiers, skipped requests, and answers in a failed store's place that `onStoreError` gives without
   * counting.
   */
  readonly used: number;
  /** Until the key, left alone, is as fresh; `'never'` if it does not refill. */
  readonly resetAfterMs: number | 'never';
  /**
   * Until the same request (of cost 1 if it was 0) fits; 0 if it fits now; `'never'` if it cannot. Also on allowed
   * verdicts.
   */
  readonly retryAfterMs: number | 'never';
  /** How long an admitted request has to wait for its turn; 0 but for leaky buckets. */
  readonly delayMs: number;
  /** Present on limits that are asked but not enforced. */
  readonly shadow?: true;
}

/** The answer about all limits of a request. */
export interface Decision {
  /** The policy's name. */
  readonly policy: string;
  /** Whether the request may pass: every limit that is enforced allows it. */
  readonly allowed: boolean;
  /** One per limit of the policy, in its order. */
  readonly verdicts: readonly Verdict[];
  /**
   * The verdict that matters most to the caller: the one to wait for longest if refused, else the nearest to refusing.
   */
  readonly tightest: Verdict;
  /** 0 when allowed, else until every limit that refused would allow; `'never'` wins. */
  readonly retryAfterMs: number | 'never';
  /** The longest of the verdicts': how long an admitted request has to wait for its turn. */
  readonly delayMs: number;
  /** A limit that is not enforced would have refused. */
  readonly shadowed: boolean;
  /** Who answered: the store, or what `onStoreError` chose in its place. */
  readonly source: 'store' | 'local' | 'allow' | 'deny';
}
