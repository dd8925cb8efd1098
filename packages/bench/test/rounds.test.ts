import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { interleaved, warmRounds } from '../src/rounds.js';

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

  it('begin after each contender has worked for a while, one after another', async () => {
    const order: string[] = [];
    const subject = (name: string) =>
      [
        name,
        async () => {
          await setTimeout(1);
          return order.push(name);
        },
      ] as const;
    const results = await warmRounds(20, 2, new Map([subject('a'), subject('b')]));
    expect(order.join('')).toMatch(/^a+b+abba$/);
    expect([...results.values()].map((numbers) => numbers.length)).toEqual([2, 2]);
  });

  it('begin at once where nothing has to warm up', async () => {
    expect(await warmRounds(0, 1, new Map([['a', () => 5]]))).toEqual(new Map([['a', [5]]]));
  });
});
