import { describe, expect, it } from '@jest/globals';
import { createLimiter, type LimitItem, slidingWindow } from '@sluice/core';
import { murmurHash } from '../../src/values/murmur-hash.js';

/** Refuses everything, so a refusal shows that it is enforced. */
const nothing = { limit: 0, window: '1m' } as const;

const subjects = Array.from({ length: 4000 }, (_, i) => `user-${i}`);

function refusedBy(enforce: number | (() => number), policy = 'api'): string[] {
  const limiter = createLimiter({ ...nothing, name: policy, enforce });
  return subjects.filter((subject) => !limiter.consume(subject).allowed);
}

describe('enforce', () => {
  it('is 1 by default: every key', () => {
    expect(createLimiter(nothing).consume('ann')).toMatchObject({ allowed: false, shadowed: false });
    expect(refusedBy(1)).toHaveLength(subjects.length);
  });

  it('of 0 refuses no request', () => {
    expect(refusedBy(0)).toEqual([]);
  });

  it.each([0.1, 0.5, 0.9])('of %p enforces about that share of keys', (share) => {
    // Four standard deviations of so many keys.
    const tolerance = 4 * Math.sqrt((share * (1 - share)) / subjects.length);
    expect(Math.abs(refusedBy(share).length / subjects.length - share)).toBeLessThan(tolerance);
  });

  it("of 'mark' refuses nobody, spends, and says which requests passed the limit", () => {
    const limiter = createLimiter({ limit: 2, window: '1m', enforce: 'mark' });
    const decisions = [1, 2, 3].map(() => limiter.consume('ann'));
    expect(decisions.map(({ allowed, exceeded, shadowed }) => [allowed, exceeded, shadowed])).toEqual([
      [true, undefined, false],
      [true, undefined, false],
      [true, true, true],
    ]);
    expect(decisions[2]?.tightest).toMatchObject({ allowed: false, shadow: true, marked: true, remaining: 0, used: 2 });
  });

  it("of 'mark' is inherited, given by a function, and one limit's own", () => {
    let enforce: number | 'mark' = 'mark';
    const limits = [
      { ...nothing, name: 'inherited' },
      { ...nothing, name: 'own', enforce: 0 },
      { ...nothing, name: 'chosen', enforce: () => enforce },
    ];
    const limiter = createLimiter({ enforce: 'mark', limits });
    const marks = () => limiter.consume('ann').verdicts.map(({ shadow, marked }) => [shadow, marked]);
    expect(marks()).toEqual([
      [true, true],
      [true, undefined],
      [true, true],
    ]);
    enforce = 1;
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, exceeded: true });
  });

  it('of a share decides by a hash of policy and key, the same at every time and on every instance', () => {
    const half = refusedBy(0.5);
    expect(refusedBy(0.5)).toEqual(half);
    const byHash = subjects.filter((subject) => murmurHash(subject, murmurHash('api')) / 2 ** 32 < 0.5);
    expect(half).toEqual(byHash);
  });

  it('that grows still enforces every key that was enforced', () => {
    const half = new Set(refusedBy(0.5));
    expect(refusedBy(0.3).filter((subject) => !half.has(subject))).toEqual([]);
  });

  it('chooses other keys in another policy', () => {
    expect(refusedBy(0.5, 'other')).not.toEqual(refusedBy(0.5));
  });

  it('can be a function, called for each request', () => {
    let share = 0;
    const limiter = createLimiter({ ...nothing, enforce: () => share });
    expect(limiter.consume('ann').allowed).toBe(true);
    share = 1;
    expect(limiter.consume('ann').allowed).toBe(false);
  });

  it.each([1.5, -0.1, Number.NaN])('of %p from a function is an error', (share) => {
    const limiter = createLimiter({ limits: [{ ...nothing, enforce: () => share }] });
    const wrong = expect.objectContaining({ code: 'SLUICE_OPTION', path: 'limits[0].enforce()', received: share });
    expect(() => limiter.consume('ann')).toThrow(wrong);
  });

  it('is inherited by items that do not set it', () => {
    const limiter = createLimiter({
      enforce: 0,
      limits: [
        { ...nothing, name: 'a' },
        slidingWindow({ ...nothing, name: 'b' }),
        { ...nothing, name: 'c', enforce: 1 },
      ],
    });
    expect(limiter.consume('ann').verdicts.map(({ shadow }) => shadow)).toEqual([true, true, undefined]);
  });
});

describe('A shadow limit', () => {
  const shadowOf = (limit: number): LimitItem<[subject: string], false> => ({
    name: 'shadow',
    limit,
    window: '1m',
    enforce: 0,
  });

  it('shows in its verdict, and in the decision, that it would have refused', () => {
    const limiter = createLimiter({ limits: [shadowOf(1), { limit: 5, window: '1m' }] });
    expect(limiter.consume('ann')).toMatchObject({ allowed: true, shadowed: false });
    expect(limiter.consume('ann')).toMatchObject({
      allowed: true,
      retryAfterMs: 0,
      shadowed: true,
      tightest: { name: 'per-1m' },
      verdicts: [
        { name: 'shadow', shadow: true, allowed: false, remaining: 0, retryAfterMs: expect.any(Number) },
        { name: 'per-1m', allowed: true, remaining: 3 },
      ],
    });
  });

  it('spends when it would admit and every enforced limit admits', () => {
    const limiter = createLimiter({ limits: [shadowOf(5), { limit: 1, window: '1m' }] });
    expect(limiter.consume('ann').verdicts[0]).toMatchObject({ remaining: 4 });
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, verdicts: [{ remaining: 4 }, { remaining: 0 }] });
  });

  it('never keeps another shadow limit from spending', () => {
    const limiter = createLimiter({ limits: [shadowOf(0), { ...shadowOf(5), name: 'other' }] });
    expect(limiter.consume('ann')).toMatchObject({ allowed: true, verdicts: [{ allowed: false }, { remaining: 4 }] });
  });

  it('without others is the tightest, and allows everything', () => {
    const limiter = createLimiter(shadowOf(1));
    limiter.consume('ann');
    expect(limiter.consume('ann')).toMatchObject({
      allowed: true,
      retryAfterMs: 0,
      shadowed: true,
      tightest: { name: 'shadow', allowed: false },
    });
  });

  it('that refused was not charged, so a reservation gives nothing back to it', () => {
    const limiter = createLimiter({ limits: [shadowOf(5), { limit: 10, window: '1m' }] });
    limiter.consume('ann', { cost: 3 });
    const reservation = limiter.reserve('ann', { cost: 4 });
    expect(reservation).toMatchObject({ allowed: true, shadowed: true });
    reservation.cancel();
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 2 }, { remaining: 7 }]);
  });
});
