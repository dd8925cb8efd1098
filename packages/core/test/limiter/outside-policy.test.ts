import { expect, it } from '@jest/globals';
import { createLimiter, policyMetrics, systemClock } from '@sluice/core';
import { OutsidePolicy } from '../../src/limiter/outside-policy.js';

it('A policy that is decided outside counts its decisions like every other one', () => {
  const { verdicts } = createLimiter({ name: 'inside', limits: [{ name: 'minute', limit: 9, window: '1m' }] }).peek(
    'ann',
  );
  const policy = new OutsidePolicy('outside', systemClock);
  policy.record(policy.decisionOf(verdicts, 'store'), 0);
  policy.record(policy.fallback('deny', 1, new Error('gone')), 0);
  policy.correctionFailed(new Error('gone'));
  const counters = policyMetrics().find((one) => one.policy === 'outside');
  expect(counters?.decisions.allowed.store).toBe(1);
  expect(counters?.decisions.refused.deny).toBe(1);
  expect(counters?.storeErrors).toEqual({ timeout: 0, unavailable: 0, error: 2 });
  expect(
    counters?.limits.map(({ name, limit, enforce, checks }) => [name, limit?.quota, enforce, checks.allowed]),
  ).toEqual([['minute', 9, 1, 1]]);
});
