import { describe, expect, it } from '@jest/globals';
import { fillRandomly } from '../../src/values/random.js';

describe('fillRandomly', () => {
  it('fills the whole array, and returns it', () => {
    const numbers = new Int32Array(1000);
    expect(fillRandomly(numbers)).toBe(numbers);
    // Each number is 0 with a chance of 2^-32.
    expect(numbers.filter((number) => number === 0).length).toBeLessThan(3);
  });

  it('gives other numbers each time', () => {
    expect(fillRandomly(new Uint8Array(16))).not.toEqual(fillRandomly(new Uint8Array(16)));
  });
});
