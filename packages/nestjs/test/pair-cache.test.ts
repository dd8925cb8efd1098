import { expect, it } from '@jest/globals';
import { PairCache } from '../src/pair-cache.js';

it('A value is made once for each pair', () => {
  const cache = new PairCache<string>();
  const [one, other] = [{}, {}];
  const made: string[] = [];
  const make = (): string => `${made.push('made')}`;
  const values = () => [cache.of(one, other, make), cache.of(other, one, make), cache.of(one, one, make)];
  expect([values(), values()]).toEqual([
    ['1', '2', '3'],
    ['1', '2', '3'],
  ]);
});
