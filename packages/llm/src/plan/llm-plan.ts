import type { Limit } from '@sluice/core';

/**
 * The limits of one plan. A number means the usual algorithm: a sliding window for a minute, a calendar window for a day or a
 * month, slots for `parallel`. A `Limit` is taken as it is. A limit that is absent does not limit.
 */
export interface LlmPlan {
  /** Requests a minute. */
  readonly rpm?: number | Limit;
  /** Requests a calendar day. */
  readonly rpd?: number | Limit;
  /** Tokens a minute: input and output together. */
  readonly tpm?: number | Limit;
  /** Tokens a calendar day: input and output together. */
  readonly tpd?: number | Limit;
  /** Input tokens a minute. */
  readonly itpm?: number | Limit;
  /** Output tokens a minute. */
  readonly otpm?: number | Limit;
  /** Calls at the same time. */
  readonly parallel?: number | Limit;
  /** Micro-dollars a calendar day: `usd('5')`. */
  readonly perDay?: number;
  /** Micro-dollars a calendar month. */
  readonly perMonth?: number;
  /** Limits for single models. They count per model, beside the plan's own limits. */
  readonly models?: Readonly<Record<string, Omit<LlmPlan, 'models'>>>;
}
