import strict from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import { type AssertionError, deepEqual, equal, fail, notDeepEqual, notEqual, ok } from '../src/assert.js';

class Point {
  constructor(readonly x: number) {}
}

/** Pairs of values, about which Node's own assertions and those of the suites have to agree. */
const PAIRS: readonly (readonly [what: string, one: unknown, other: unknown])[] = [
  ['the same number', 1, 1],
  ['another number', 1, 2],
  ['a number and its text', 1, '1'],
  ['NaN', Number.NaN, Number.NaN],
  ['0 and -0', 0, -0],
  ['null and undefined', null, undefined],
  ['texts', 'é', 'e\u0301'],
  ['arrays', [1, [2, 'never']], [1, [2, 'never']]],
  ['arrays of another order', [1, 2], [2, 1]],
  ['a shorter array', [1, 2], [1]],
  ['an array and a record', [1], { 0: 1 }],
  ['an array with a hole', Object.assign([1], { 2: 3 }), [1, undefined, 3]],
  ['-0 in an array', [0], [-0]],
  ['records, in any order', { a: 1, b: { c: [] } }, { b: { c: [] }, a: 1 }],
  ['a record with one more', { a: 1 }, { a: 1, b: 2 }],
  ['undefined and nothing', { a: undefined }, {}],
  ['undefined and another name', { a: undefined }, { b: undefined }],
  ['null and a record', null, {}],
  ['an object of a class', new Point(1), new Point(1)],
  ['objects of a class that differ', new Point(1), new Point(2)],
  ['an object of a class and a record', new Point(1), { x: 1 }],
  ['a record without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ['a name of every object', { toString: 1 }, { toString: 1 }],
  ['the name of a prototype', JSON.parse('{"__proto__":1}'), {}],
];

const failureOf = (call: () => void): AssertionError | undefined => {
  try {
    call();
  } catch (error) {
    return error as AssertionError;
  }
  return undefined;
};

describe('The assertions of the suites', () => {
  it.each(PAIRS)('compare as those of Node: %s', (_, one, other) => {
    for (const [name, compare] of Object.entries({ equal, notEqual, deepEqual, notDeepEqual })) {
      for (const values of [
        [one, other],
        [other, one],
      ] as const) {
        const own = failureOf(() => compare(...values));
        const ofNode = failureOf(() => strict[name as 'equal'](...values));
        expect([name, own !== undefined]).toEqual([name, ofNode !== undefined]);
        expect(own?.operator).toBe(ofNode?.operator);
      }
    }
  });

  it.each([
    ['dates', () => new Date(0)],
    ['maps', () => new Map([[1, 2]])],
    ['sets', () => new Set([1])],
    ['bytes', () => Uint8Array.of(1)],
    ['expressions', () => /a/],
  ])('take no two objects for equal whose properties do not tell: %s', (_, make) => {
    const one = make();
    expect(failureOf(() => deepEqual({ one }, { one }))).toBeUndefined();
    expect(failureOf(() => deepEqual({ one }, { one: make() }))).toBeDefined();
  });

  it('fail with both values, which also stand in the message', () => {
    const failure = failureOf(() => deepEqual(['a', -0, { b: undefined }], [1n, null, {}], 'step 3'));
    expect(failure).toMatchObject({
      name: 'AssertionError',
      code: 'ERR_ASSERTION',
      operator: 'deepStrictEqual',
      actual: ['a', -0, { b: undefined }],
      expected: [1n, null, {}],
      message: 'step 3: expected [1n, null, {}], got ["a", -0, { "b": undefined }]',
    });
    expect(failureOf(() => equal(1, 2))?.message).toBe('expected 2, got 1');
    expect(failureOf(() => notEqual(1, 1, 'the status'))?.message).toBe('the status: expected not 1, got 1');
  });

  it('fail with their text alone where there is nothing to compare', () => {
    expect(failureOf(() => fail('must not be called'))?.message).toBe('must not be called');
    expect(failureOf(() => ok(0, 'it has begun'))?.message).toBe('it has begun');
    expect(failureOf(() => ok('text', 'it has begun'))).toBeUndefined();
  });
});
