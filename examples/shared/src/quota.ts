import type { Decision } from '@sluice/core';
import type { Customer } from './customers.js';

/** What a customer has left. */
export const quotaOf = (customer: Customer | undefined, { verdicts }: Decision) => ({
  plan: customer?.plan,
  limits: verdicts.map(({ name, limit, remaining, resetAfterMs }) => ({
    name,
    limit: limit.quota,
    remaining,
    resetAfterMs,
  })),
});
