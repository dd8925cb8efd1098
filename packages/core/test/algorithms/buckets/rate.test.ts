import { describe, expect, it } from '@jest/globals';
import { runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { rateOf } from '../../../src/algorithms/buckets/rate.js';

/** How `n * 1000 / m` compares with a double, in exact arithmetic: below 0 when it is less. */
function exactly(n: number, m: number, perSecond: number): bigint {
  // Every double from 2^-60 on is a whole number of 2^-112.
  const scale = 2n ** 112n;
  const scaled = BigInt(perSecond * 2 ** 112);
  return BigInt(n) * 1000n * scale - scaled * BigInt(m);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** The next double below. */
function justBelow(value: number): number {
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] = (bits[0] as bigint) - 1n;
  return new Float64Array(bits.buffer)[0] as number;
}

describe('a rate', () => {
  it.each([
    [0, 0, 1],
    [0.1, 1, 10_000],
    [1 / 3, 1, 3000],
    [2 / 3, 1, 1500],
    [100 / 60, 1, 600],
    [1000 / 86_400, 1, 86_400],
    [1, 1, 1000],
    [1.5, 3, 2000],
    [33.3, 333, 10_000],
    [1000, 1, 1],
    [1e6, 1000, 1],
    [1e9, 1e6, 1],
    [1e-6, 1, 1e9],
    [12_345.678, 6_172_839, 500_000],
    [0.001_234_567, 617, 5e8],
  ])('of %d per second is %d per %d ms', (perSecond, n, m) => {
    expect(rateOf(perSecond, 'rate')).toEqual({ refillUnits: n, refillPeriodMs: m });
  });

  it.each([Math.PI, Math.SQRT2 * 1000, Math.E / 1e5, 1e5 / 7.3, 0.1 + 0.2])(
    'of %d is never rounded up',
    (perSecond) => {
      const { refillUnits: n, refillPeriodMs: m } = rateOf(perSecond, 'rate');
      expect((n * 1000) / m).toBeLessThanOrEqual(perSecond);
      expect((n * 1000) / m).toBeGreaterThan(perSecond - Math.max(1e-6, perSecond * 1e-12));
    },
  );

  it('is the given one or rounded down, in lowest terms, per at most 10^9 ms', () => {
    const rates = fc.oneof(
      fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
      fc.double({ min: 1e-6, max: 100, noNaN: true }),
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 2, max: 9e6 }).map((millionths) => justBelow(millionths / 1e6)),
      fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e6 })).map(([a, b]) => a / b),
      fc.tuple(fc.integer({ min: 1, max: 1e9 }), fc.nat(6)).map(([digits, places]) => digits / 10 ** places),
    );
    fc.assert(
      fc.property(rates, (perSecond) => {
        const { refillUnits: n, refillPeriodMs: m } = rateOf(perSecond, 'rate');
        expect([n, m].every((part) => Number.isSafeInteger(part) && part > 0) && m <= 1e9).toBe(true);
        expect(greatestCommonDivisor(n, m)).toBe(1);
        if ((n * 1000) / m === perSecond) return;
        expect(exactly(n, m, perSecond)).toBeLessThanOrEqual(0n);
        // No coarser than a whole unit in 10^9 ms could make it.
        expect(perSecond - (n * 1000) / m).toBeLessThanOrEqual(Math.max(1e-6, perSecond * 1e-12));
      }),
      runs(20),
    );
  });

  it('of a whole number per second, minute, hour or day is exact', () => {
    const units = fc.constantFrom(1, 60, 3600, 86_400);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), units, (count, seconds) => {
        const { refillUnits: n, refillPeriodMs: m } = rateOf(count / seconds, 'rate');
        expect([n * 1000 * seconds, m * count]).toEqual([m * count, m * count]);
      }),
      runs(5),
    );
  });

  it.each([-1, -0.001, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined, 1n, 2 ** 53, 9e-7, 1e-9, 5e-324])(
    'refuses %p, naming the option',
    (wrong) => {
      expect(() => rateOf(wrong, 'limits[1].refillRate')).toThrow(
        expect.objectContaining({ code: 'SLUICE_OPTION', path: 'limits[1].refillRate', received: wrong }),
      );
    },
  );
});
