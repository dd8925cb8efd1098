import { describe, expect, it } from '@jest/globals';
import { randomOf } from '../src/random.js';
import { differences, ratios, spreadOf } from '../src/spread.js';

describe('rounds', () => {
  it('are compared one by one', () => {
    expect(ratios([10, 40, 90], [1, 2, 3])).toEqual({ median: 20, least: 10, most: 30 });
    expect(differences([10, 40, 90], [1, 2, 3])).toEqual({ median: 38, least: 9, most: 87 });
  });
});

describe('the interval of a median', () => {
  it.each([
    [[5], { median: 5, least: 5, most: 5 }],
    [[3, 1, 2], { median: 2, least: 1, most: 3 }],
    [[4, 1, 2, 3], { median: 2.5, least: 1, most: 4 }],
    [[8, 1, 7, 2, 6, 3, 5, 4], { median: 4.5, least: 2, most: 7 }],
    // Of ten thousand values, 98 on each side of the middle.
    [Array.from({ length: 10_000 }, (_, i) => i), { median: 4999.5, least: 4902, most: 5097 }],
  ])('has its ends among the values', (values, expected) => {
    expect(spreadOf(values)).toEqual(expected);
  });

  it('contains the true median 95 times of 100, although the values have a long tail', () => {
    const random = randomOf(1);
    const [runs, median] = [2000, Math.LN2];
    let hits = 0;
    for (let run = 0; run < runs; run += 1) {
      const { least, most } = spreadOf(Array.from({ length: 200 }, () => -Math.log(1 - random())));
      if (least <= median && median <= most) hits += 1;
    }
    expect(hits / runs).toBeGreaterThan(0.94);
    expect(hits / runs).toBeLessThan(0.975);
  });
});
