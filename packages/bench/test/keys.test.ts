import { describe, expect, it } from '@jest/globals';
import { freshKey, freshKeys } from '../src/fresh-key.js';
import { randomOf, zipfOf } from '../src/random.js';

describe('keys', () => {
  it('have 36 characters, and differ for different numbers', () => {
    const keys = [0, 9, 10, 4_999_999].map(freshKey);
    expect(keys.map((key) => key.length)).toEqual([36, 36, 36, 36]);
    expect(keys.map(Number)).toEqual([0, 9, 10, 4_999_999]);
    expect(freshKeys(9, 2)).toEqual([freshKey(9), freshKey(10)]);
  });

  it("are drawn by Zipf's law: the first twice as often as the second, ten times as often as the tenth", () => {
    const draw = zipfOf(1_000, randomOf(11));
    const counts = new Uint32Array(1_000);
    for (let i = 0; i < 200_000; i += 1) {
      const drawn = draw();
      counts[drawn] = (counts[drawn] as number) + 1;
    }
    expect((counts[0] as number) / (counts[1] as number)).toBeCloseTo(2, 0);
    expect((counts[0] as number) / (counts[9] as number)).toBeCloseTo(10, -1);
    expect(counts[999]).toBeGreaterThan(0);
  });

  it('are drawn in the same way for every contender', () => {
    const [one, other] = [randomOf(7), randomOf(7)];
    expect(Array.from({ length: 5 }, one)).toEqual(Array.from({ length: 5 }, other));
  });
});
