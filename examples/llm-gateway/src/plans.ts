import { type LlmPlan, usd } from '@sluice/llm';

/** What each plan may use: requests and tokens a minute, requests a day, and money a day. */
export const PLANS = {
  free: { rpm: 10, tpm: 10_000, rpd: 100, perDay: usd('1'), parallel: 2 },
  basic: { rpm: 50, tpm: 50_000, rpd: 1000, perDay: usd('10'), parallel: 5 },
  premium: { rpm: 200, tpm: 200_000, rpd: 10_000, perDay: usd('100'), parallel: 20 },
  enterprise: { rpm: 1000, tpm: 1_000_000, rpd: 100_000, perDay: usd('1000'), parallel: 100 },
} as const satisfies Record<string, LlmPlan>;

export type PlanName = keyof typeof PLANS;
