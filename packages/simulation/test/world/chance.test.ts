import { describe, expect, it } from '@jest/globals';
import { Chance } from '../../src/world/chance.js';

const numbers = (seed: number, name: string): number[] => {
  const source = new Chance(seed).source(name);
  return Array.from({ length: 5 }, () => source.next());
};

describe('Chance', () => {
  it('gives the same numbers for the same seed and name, and others for others', () => {
    expect(numbers(3, 'link')).toEqual(numbers(3, 'link'));
    expect(numbers(3, 'link')).not.toEqual(numbers(4, 'link'));
    expect(numbers(3, 'link')).not.toEqual(numbers(3, 'link '));
  });

  it('spreads numbers evenly', () => {
    const source = new Chance(1).source('even');
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 100_000; i += 1) {
      const tenth = Math.floor(source.next() * 10);
      counts[tenth] = (counts[tenth] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  it('leaves nothing to chance without a seed, but for bytes, which no two sources share', () => {
    const chance = new Chance(0);
    const [one, other] = [chance.source('one'), chance.source('other')];
    expect([one.happens(1), one.between(2, 9)]).toEqual([false, 2]);
    expect(one.bytes(9)).not.toEqual(other.bytes(9));
  });
});
