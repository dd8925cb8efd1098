import { describe, expect, it } from '@jest/globals';
import * as v from 'valibot';
import { checkInput, pointerOf } from '../../src/input/check-input.js';
import { exactObject, must, mustSecretly, shortList } from '../../src/input/exact-object.js';
import { inputProblem, MOST_LISTED } from '../../src/input/many-mistakes.js';

const SCHEMA = exactObject({
  name: v.string(must('be text')),
  secret: v.exactOptional(v.string(mustSecretly('be text'))),
  inner: v.exactOptional(exactObject({ cost: v.number(must('be a number')) })),
});

const mistakesOf = (value: unknown) =>
  checkInput(SCHEMA, value).mistakes?.map(({ detail, ...place }) => [place, detail]);

describe('the check of an input', () => {
  it('returns a right value', () => {
    const value = { name: 'a', inner: { cost: 1 } };
    expect(checkInput(SCHEMA, value)).toEqual({ value });
  });

  it('lists every mistake, every unknown member too, with its place', () => {
    expect(mistakesOf({ secret: 5, a: 1, toString: 2, inner: { cost: '1', 'b/c~': 3 } })).toEqual([
      [{ pointer: '/name' }, 'is required'],
      [{ pointer: '/secret' }, 'must be text'],
      [{ pointer: '/inner/cost' }, 'must be a number, got "1"'],
      [{ pointer: '/inner/b~1c~0' }, 'is not known here: the members are cost'],
      [{ pointer: '/a' }, 'is not known here: the members are name, secret, inner'],
      [{ pointer: '/toString' }, 'is not known here: the members are name, secret, inner'],
    ]);
  });

  it.each([[null], [5], ['a'], [undefined], [[]], [[{ name: 'a' }]]])('says that %j is no object', (value) => {
    expect(mistakesOf(value)).toEqual([[{ pointer: '' }, expect.stringMatching(/^must be an object, got /)]]);
  });

  it('finds one mistake in an object of very many members', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, i]));
    expect(mistakesOf(many)).toEqual([[{ pointer: '' }, 'must have at most 100 members']]);
    expect(mistakesOf({ name: 'a', inner: many })).toEqual([[{ pointer: '/inner' }, 'must have at most 100 members']]);
  });

  it('does not look at the items of a list that is too long', () => {
    let looks = 0;
    const item = v.pipe(
      v.unknown(),
      v.check(() => {
        looks += 1;
        return true;
      }),
    );
    const { mistakes } = checkInput(shortList(v.array(item), 2), [1, 2, 3]);
    expect([mistakes, looks]).toEqual([[{ pointer: '', detail: 'must have at most 2 items' }], 0]);
    expect(checkInput(shortList(v.array(item), 2), [1, 2])).toEqual({ value: [1, 2] });
  });

  it('says where the value is in the body', () => {
    expect(checkInput(SCHEMA, {}, [3, 'x']).mistakes).toEqual([{ pointer: '/3/x/name', detail: 'is required' }]);
  });

  it('cuts a very long name in a pointer', () => {
    expect(pointerOf(['a'.repeat(1000)])).toBe(`/${'a'.repeat(100)}…`);
  });
});

describe('the problem of many mistakes', () => {
  it('lists the first hundred', () => {
    const mistakes = Array.from({ length: 1000 }, (_, i) => ({ pointer: `/${i}`, detail: 'must be text' }));
    const { status, mistakes: listed } = inputProblem(400, mistakes);
    expect([status, listed]).toEqual([400, mistakes.slice(0, MOST_LISTED)]);
  });
});
