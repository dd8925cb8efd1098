/** What clients meet: all of them pass, or all are refused after their first request. */
export const OUTCOMES = {
  allowed: { limit: 1_000_000_000, status: 200 },
  refused: { limit: 1, status: 429 },
} as const;

export type Outcome = keyof typeof OUTCOMES;

export const OUTCOME_NAMES = Object.keys(OUTCOMES) as Outcome[];
