import { describe, expect, it } from '@jest/globals';
import { fixedWindow, type LimitCheck, type StoreRequest, slidingWindow, tokenBucket } from '@sluice/core';
import { consumeArguments } from '../src/command-arguments.js';
import { RedisKeys } from '../src/redis-keys.js';
import { scriptedRequest } from '../src/scripted-request.js';

const LIMITS = [
  fixedWindow({ limit: 5, window: '1m' }),
  slidingWindow({ limit: 5, window: '1h' }),
  tokenBucket({ capacity: 5, refillRate: 1 }),
];

const checkOf = (index: number, key = 'ann'): LimitCheck => {
  return { policy: 'p', name: `limit ${index}`, key, limit: LIMITS[index] as LimitCheck['limit'], cost: 1 };
};

const keys = new RedisKeys('sluice:', 'subject');
const argumentsOf = (requests: readonly StoreRequest[]) =>
  consumeArguments(requests.map((request) => scriptedRequest(request, keys)));

describe('The arguments of a call', () => {
  it('have each limit in full once, and its position after that', () => {
    const checks = [0, 1, 2, 0, 1, 2, 2].map((index) => checkOf(index));
    const texts = argumentsOf([{ checks, peek: true }]).filter((argument) => String(argument).includes('{'));
    expect(texts).toHaveLength(LIMITS.length);
  });

  it('are no more for asks that differ only in their keys', () => {
    const lengthFor = (names: readonly string[]): number =>
      argumentsOf(names.map((key) => ({ checks: [checkOf(0, key)], peek: true as const }))).length;
    expect(lengthFor(['ann', 'ben', 'cleo'])).toBe(lengthFor(['ann']));
  });

  it.each<[string, Partial<StoreRequest>]>([
    ['a deadline', { notAfterMs: 1_700_000_000_000 }],
    ['a fewest number of units', { atLeast: 1 }],
    ['a refusal elsewhere', { peek: 'refused' }],
  ])('are told in full for an ask that has %s of its own', (_, own) => {
    const peeks = ['ann', 'ben'].map((key): StoreRequest => ({ checks: [checkOf(0, key)], peek: true }));
    const [first, second] = peeks as [StoreRequest, StoreRequest];
    expect(argumentsOf([first, { ...second, ...own }])).toHaveLength(2 * argumentsOf([first]).length);
  });

  it('are one text for 127 asks that only spend, and two for one more', () => {
    const spends = Array.from({ length: 128 }, (_, i): StoreRequest => ({ checks: [checkOf(0, `user ${i}`)] }));
    expect([spends.slice(1), spends].map((some) => argumentsOf(some).length)).toEqual([1, 2]);
  });
});
