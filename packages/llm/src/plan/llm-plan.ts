import type { Limit } from '@sluice/core';

/**
 * The limits of one plan. A number means the usual algorithm: a sliding window for a minute, a calendar window for an hour, a day, a week
 * or a month, slots for `parallel`, and a bucket that never refills for `perLifetime`. A `Limit` is taken as it is; one of money counts
 * micro-dollars. A limit that is absent does not limit.
 */
export interface LlmPlan {
  /** The name of the plan, such as `'free'`: the label `tier` of metrics. 1 to 128 printable ASCII characters. Default: none. */
  readonly name?: string;
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
  /** Micro-dollars an hour of the clock. */
  readonly perHour?: number | Limit;
  /** Micro-dollars a calendar day: `usd('5')`. */
  readonly perDay?: number | Limit;
  /** Micro-dollars a calendar week, which begins on Monday. */
  readonly perWeek?: number | Limit;
  /** Micro-dollars a calendar month. */
  readonly perMonth?: number | Limit;
  /** Micro-dollars in all. What is spent never comes back. A store that forgets the key forgets it. */
  readonly perLifetime?: number | Limit;
  /** The time zone of its hours, days, weeks and months: `'Asia/Seoul'`. Default: that of `createLlm`. */
  readonly timeZone?: string;
  /** Limits for single models. They count per model, beside the plan's own limits. */
  readonly models?: Readonly<Record<string, Omit<LlmPlan, 'name' | 'models' | 'timeZone'>>>;
}
