import { describe, expect, it } from '@jest/globals';
import { fixedWindow, type LimitCheck, type StoreRequest, unlimited } from '@sluice/core';
import { age, allowedVerdict, isSimpleSpend, sameCheck, verdictOf } from '../../src/stores/reply.js';

const limit = fixedWindow({ limit: 10, window: '1m' });
const check: LimitCheck = { policy: 'api', name: 'per-minute', key: 'ann', limit, cost: 2 };
const answer = { allowed: false, remaining: 1, used: 9, resetAfterMs: 700, retryAfterMs: 600, delayMs: 5 };

describe('verdictOf', () => {
  it('repeats the check and adds the result', () => {
    expect(verdictOf(check, answer)).toEqual({ name: 'per-minute', limit, cost: 2, ...answer });
  });

  it('marks a shadow, and only a shadow', () => {
    expect(verdictOf({ ...check, shadow: true }, answer)).toEqual({
      name: 'per-minute',
      limit,
      cost: 2,
      ...answer,
      shadow: true,
    });
    expect(verdictOf(check, answer)).not.toHaveProperty('shadow');
  });

  it('takes only the result from another verdict', () => {
    const other = verdictOf({ ...check, name: 'other', cost: 5, shadow: true }, answer);
    expect(verdictOf(check, other)).toEqual(verdictOf(check, answer));
  });
});

it('allowedVerdict leaves the whole limit', () => {
  const whole = { allowed: true, used: 0, resetAfterMs: 0, retryAfterMs: 0, delayMs: 0 };
  expect(allowedVerdict(check)).toEqual({ name: 'per-minute', limit, cost: 2, remaining: 10, ...whole });
  const tier = { name: 'tier', limit: unlimited(), cost: 1, shadow: true } as const;
  expect(allowedVerdict(tier)).toEqual({ ...tier, remaining: Number.MAX_SAFE_INTEGER, ...whole });
});

describe('A wait that ages', () => {
  it('is shorter by the passed time, and at least 1', () => {
    expect([0, 1, 599, 600, 9000].map((agoMs) => age(600, agoMs))).toEqual([600, 599, 1, 1, 1]);
  });

  it('of 0 stays 0', () => {
    expect([0, 1, 9000].map((agoMs) => age(0, agoMs))).toEqual([0, 0, 0]);
  });

  it("of 'never' stays 'never'", () => {
    expect(age('never', 9000)).toBe('never');
  });
});

describe('sameCheck', () => {
  it.each<[string, Partial<LimitCheck>, boolean]>([
    ['the same', {}, true],
    ['bounds of a calendar', { calendarBoundsMs: [0, 1, 2, 3] }, true],
    ['another cost', { cost: 3 }, false],
    ['another object of the same numbers', { limit: fixedWindow({ limit: 10, window: '1m' }) }, false],
    ['a shadow', { shadow: true }, false],
  ])('of %s', (_, own, isSame) => {
    expect(sameCheck(check, { ...check, ...own })).toBe(isSame);
  });
});

describe('isSimpleSpend', () => {
  const checks = [check];

  it('holds for a request that has only checks', () => {
    expect(isSimpleSpend({ checks })).toBe(true);
  });

  it.each<Omit<StoreRequest, 'checks'>>([
    { peek: true },
    { renew: true },
    { id: '1' },
    { holdMs: 1 },
    { atLeast: 0 },
    { notAfterMs: 0 },
  ])('does not hold for %j', (terms) => {
    expect(isSimpleSpend({ checks, ...terms })).toBe(false);
  });
});
