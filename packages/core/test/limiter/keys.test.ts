import { describe, expect, it } from '@jest/globals';
import { createLimiter, everyone, type Key } from '@sluice/core';

const one = { limit: 1, window: '1m' } as const;

/** How many of these keys are counted together with an earlier one. */
function meetings(keys: readonly Key[]): number {
  const limiter = createLimiter({ ...one, keyGenerator: (key: Key) => key });
  return keys.filter((key) => !limiter.consume(key).allowed).length;
}

describe('The key', () => {
  it('is the subject itself by default: text, a number or a list', () => {
    expect(createLimiter(one).consume('ann').allowed).toBe(true);
    const numbers = createLimiter<number>(one);
    expect([numbers.consume(1).allowed, numbers.consume(2).allowed, numbers.consume(1).allowed]).toEqual([
      true,
      true,
      false,
    ]);
    const lists = createLimiter<readonly string[]>(one);
    expect([lists.consume(['a', 'b']).allowed, lists.consume(['a', 'b']).allowed]).toEqual([true, false]);
  });

  it('is made once for all limits of a request that count by the subject', () => {
    let readings = 0;
    const subject = Object.defineProperty([''], 0, {
      get: () => {
        readings += 1;
        return 'ann';
      },
    });
    const readingsWith = (...names: readonly string[]): number => {
      const limiter = createLimiter<readonly string[]>({ limits: names.map((name) => ({ ...one, name })) });
      readings = 0;
      limiter.consume(subject);
      return readings;
    };
    expect(readingsWith('a', 'b')).toBe(readingsWith('a'));
    expect(readings).toBeGreaterThan(0);
  });

  it('differs for different subjects', () => {
    const long = 'x'.repeat(500);
    const distinct: Key[] = [
      '1',
      1,
      ['1'],
      [1],
      '',
      [],
      [[]],
      ['a', 'bc'],
      ['ab', 'c'],
      'abc',
      ['abc'],
      ['a', ['b', 'c']],
      ['a', 'b', 'c'],
      '~n1',
      '~l',
      '1:1',
      -1,
      0.5,
      'ä',
      'a\u0308',
      '\ud800',
      '\udfff',
      '\ufffd',
      long,
      `${long}x`,
      [long],
      [long, long],
    ];
    expect(meetings(distinct)).toBe(0);
    expect(meetings([...distinct, ...distinct])).toBe(distinct.length);
  });

  it('is made by the keyGenerator from the subject, also by a promise', async () => {
    const limiter = createLimiter({ ...one, keyGenerator: (user: { id: number }) => user.id });
    expect([limiter.consume({ id: 1 }).allowed, limiter.consume({ id: 1 }).allowed]).toEqual([true, false]);
    const later = createLimiter({ ...one, keyGenerator: async (user: { id: number }) => user.id });
    expect([(await later.consume({ id: 1 })).allowed, (await later.consume({ id: 1 })).allowed]).toEqual([true, false]);
  });

  it('is compound when the keyGenerator is an array: all parts together', async () => {
    const parts = [(user: { a: string; b: string }) => user.a, (user: { a: string; b: string }) => user.b] as const;
    const limiter = createLimiter({ ...one, keyGenerator: parts });
    expect([
      limiter.consume({ a: 'a', b: 'bc' }).allowed,
      limiter.consume({ a: 'ab', b: 'c' }).allowed,
      limiter.consume({ a: 'a', b: 'bc' }).allowed,
    ]).toEqual([true, true, false]);
    limiter.reset(['a', 'bc']);
    expect(limiter.consume({ a: 'a', b: 'bc' }).allowed).toBe(true);
    const later = createLimiter({ ...one, keyGenerator: [async (id: string) => id, () => 'all'] });
    expect([(await later.consume('ann')).allowed, (await later.consume('ann')).allowed]).toEqual([true, false]);
  });

  it('is inherited by items without a keyGenerator of their own', () => {
    const limiter = createLimiter({
      keyGenerator: () => 'all',
      limits: [
        { limit: 2, window: '1m', name: 'shared' },
        { limit: 2, window: '1m', name: 'own', keyGenerator: (id: string) => id },
      ],
    });
    limiter.consume('ann');
    expect(limiter.consume('bob').verdicts).toMatchObject([{ remaining: 0 }, { remaining: 1 }]);
  });

  it('of everyone() is the same for all', () => {
    const limiter = createLimiter({ ...one, keyGenerator: everyone() });
    expect([limiter.consume('ann').allowed, limiter.consume('bob').allowed]).toEqual([true, false]);
  });

  it.each([
    ['an undefined subject', () => createLimiter<string | undefined>(one).consume(undefined)],
    ['a null subject', () => createLimiter<string | null>(one).consume(null)],
    [
      'a keyGenerator that answers undefined',
      () => createLimiter({ ...one, keyGenerator: () => undefined }).consume('ann'),
    ],
    ['a keyGenerator that answers null', () => createLimiter({ ...one, keyGenerator: () => null }).consume('ann')],
    [
      'a missing part of a compound key',
      () => createLimiter({ ...one, keyGenerator: [() => 'a', () => undefined] }).consume('ann'),
    ],
    ['a subject that is no key', () => createLimiter<object>(one).consume({ id: 1 })],
    ['NaN', () => createLimiter<number>(one).consume(Number.NaN)],
    ['a list with a hole in it', () => createLimiter<Key>(one).consume(['a', undefined as unknown as Key])],
  ])('that is missing or invalid is an error: %s', (_, consume) => {
    expect(consume).toThrow(expect.objectContaining({ code: 'SLUICE_KEY' }));
  });

  it('that is missing on one limit spends nothing on the others', () => {
    let key: string | undefined;
    const limiter = createLimiter({
      limits: [
        { limit: 2, window: '1m' },
        { limit: 2, window: '1h', keyGenerator: () => key },
      ],
    });
    expect(() => limiter.consume('ann')).toThrow(/the keyGenerator of "per-1h" returned undefined/);
    key = 'here';
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 2 }, { remaining: 2 }]);
  });
});
