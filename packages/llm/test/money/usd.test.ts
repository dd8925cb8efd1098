import { describe, expect, it } from '@jest/globals';
import { usd } from '../../src/index.js';

describe('usd', () => {
  it.each([
    ['0.10', 100_000],
    ['0.1', 100_000],
    ['0', 0],
    ['5', 5_000_000],
    ['0.000001', 1],
    ['0.0000010000', 1],
    ['007.5', 7_500_000],
    ['9007199254.740991', Number.MAX_SAFE_INTEGER],
    ['50000', 50_000_000_000],
    [5, 5_000_000],
    [0.25, 250_000],
    [1 / 64, 15_625],
    [0, 0],
    [-0, 0],
  ])('reads %p as %d micro-dollars', (dollars, micros) => {
    expect(usd(dollars)).toBe(micros);
  });

  it.each([
    ['', 'dollars must be dollars as decimal text, such as "0.10", with at most 6 decimals, got "" (SLUICE_OPTION)'],
    ['-1', 'decimal text'],
    ['+1', 'decimal text'],
    ['.5', 'decimal text'],
    ['5.', 'decimal text'],
    ['$5', 'decimal text'],
    ['1e3', 'decimal text'],
    ['1,5', 'decimal text'],
    ['٣', 'decimal text'],
    [' 1', 'decimal text'],
    ['1\n', 'decimal text'],
    ['0.0000001', 'at most 6 decimals'],
    ['9007199254.740992', 'at most 9007199254 dollars'],
    ['9'.repeat(400), 'at most 9007199254 dollars'],
    [0.1, 'dollars must be text, such as "0.10", because this number is not exact, got 0.1 (SLUICE_OPTION)'],
    [1e-7, 'not exact'],
    [1e10, 'at most 9007199254 dollars'],
    [-1, 'decimal text'],
    [Number.NaN, 'decimal text'],
    [Number.POSITIVE_INFINITY, 'decimal text'],
    [null, 'decimal text'],
    [{}, 'decimal text'],
    [5n, 'decimal text'],
  ])('refuses %p', (dollars, rule) => {
    expect(() => usd(dollars as string)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'dollars' }));
    expect(() => usd(dollars as string)).toThrow(rule);
  });

  it('makes 250,000 calls of $0.0001 exactly $25', () => {
    const call = usd('0.0001');
    let sum = 0;
    for (let i = 0; i < 250_000; i++) sum += call;
    expect(sum).toBe(25_000_000);
  });
});
