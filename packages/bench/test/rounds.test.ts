import { describe, expect, it } from '@jest/globals';
import { interleaved, ratios, spreadOf } from '../src/rounds.js';

describe('rounds', () => {
  it('take turns, and each round begins with another contender', async () => {
    const order: string[] = [];
    const subject = (name: string) => [name, () => order.push(name)] as const;
    const results = await interleaved(3, new Map([subject('a'), subject('b'), subject('c')]));
    expect(order.join('')).toBe('abcbcacab');
    expect(results).toEqual(
      new Map([
        ['a', [1, 6, 8]],
        ['b', [2, 4, 9]],
        ['c', [3, 5, 7]],
      ]),
    );
  });

  it.each([
    [[5], { median: 5, least: 5, most: 5 }],
    [[3, 1, 2], { median: 2, least: 1, most: 3 }],
    [[4, 1, 2, 3], { median: 2.5, least: 1, most: 4 }],
  ])('of %j have a median and a range', (values, expected) => {
    expect(spreadOf(values)).toEqual(expected);
  });

  it('are compared round by round', () => {
    expect(ratios([10, 40, 90], [1, 2, 3])).toEqual({ median: 20, least: 10, most: 30 });
  });
});
