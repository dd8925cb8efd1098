import { describe, expect, it } from '@jest/globals';
import { Checker, type Loss } from '../src/checker.js';

const WINDOW_MS = 1000;

/** Three in a window, and three more for each loss. */
const promised = (_counter: string, losses: readonly Loss[]): number => 3 * (1 + losses.length);

type Request = readonly [sentMs: number, answeredMs: number, counter?: string];

function excessesOf(requests: readonly Request[], losses: readonly Loss[] = []): readonly number[] {
  const checker = new Checker(WINDOW_MS, promised);
  for (const loss of losses) checker.lost(loss);
  for (const [sentMs, answeredMs, counter = 'ann'] of requests)
    checker.answered({ counter, sentMs, answeredMs, isAdmitted: true });
  return checker.excesses.map(({ admitted }) => admitted);
}

describe('the checker', () => {
  it.each<[string, readonly Request[], readonly Loss[], readonly number[]]>([
    [
      'as many as promised',
      [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
      [],
      [],
    ],
    [
      'one more',
      [
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7],
      ],
      [],
      [4],
    ],
    [
      'one more of another counter',
      [
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7, 'bob'],
      ],
      [],
      [],
    ],
    [
      'one more in the next window',
      [
        [0, 1],
        [2, 3],
        [4, 5],
        [1000, 1001],
      ],
      [],
      [],
    ],
    [
      'one that was sent before the window',
      [
        [0, 990],
        [2, 991],
        [4, 992],
        [1050, 1100],
      ],
      [],
      [],
    ],
    [
      'the same, sent within it',
      [
        [110, 990],
        [111, 991],
        [112, 992],
        [1050, 1100],
      ],
      [],
      [4],
    ],
    [
      'one more after a loss',
      [
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7],
      ],
      [{ server: 0, fromMs: 5, toMs: 6 }],
      [],
    ],
    [
      'one more, and a loss long before',
      [
        [2000, 2001],
        [2002, 2003],
        [2004, 2005],
        [2006, 2007],
      ],
      [{ server: 0, fromMs: 5, toMs: 6 }],
      [4],
    ],
  ])('judges %s', (_title, requests, losses, excesses) => {
    expect(excessesOf(requests, losses)).toEqual(excesses);
  });

  it('counts no request that was refused', () => {
    const checker = new Checker(WINDOW_MS, () => 0);
    checker.answered({ counter: 'ann', sentMs: 0, answeredMs: 1, isAdmitted: false });
    expect(checker.excesses).toEqual([]);
    expect(checker.size).toBe(0);
  });

  it('forgets counters that no window can have any more', () => {
    const checker = new Checker(WINDOW_MS, promised);
    checker.answered({ counter: 'ann', sentMs: 0, answeredMs: 1, isAdmitted: true });
    checker.forget(500);
    expect(checker.size).toBe(1);
    checker.forget(3000);
    expect(checker.size).toBe(0);
  });
});
