import type { Decision } from '@sluice/core';
import type { Answer } from '../answer.js';

/** Fills an answer from a decision of Sluice. */
export function fillAnswer(decision: Decision, answer: Answer): void {
  const { allowed, tightest, retryAfterMs } = decision;
  answer.decision = decision;
  answer.allowed = allowed;
  answer.limit = tightest.limit.quota;
  answer.remaining = tightest.remaining;
  answer.resetMs = tightest.resetAfterMs;
  answer.retryMs = retryAfterMs;
}
