import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeatedName, withMemberInText } from '../../src/json-text.js';

/** White space that JSON may have between its signs. */
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 2 });

/** Texts of scalars that a parser does not give back. */
const scalar = fc.oneof(
  fc.constantFrom(
    '1.0',
    '12345678901234567890',
    '1e400',
    '-0',
    '0.10',
    'true',
    'null',
    '"\\u0041\\/"',
    '"}\\\\"',
    '"\\""',
  ),
  fc.string().map((text) => JSON.stringify(text)),
);

/** `JSON.parse` of Node.js 24 and 26 takes a name that ends with a quote for one that ends with a backslash, if it has seen that before. */
const name = fc
  .oneof(fc.constantFrom('a', '__proto__', 'model', '"', '\\d', 'é'), fc.string({ maxLength: 4 }))
  .filter((text) => !text.endsWith('\\'));

/** Texts of JSON with any white space, and names in any order. */
const { value: json } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, listOf(tie('value')), tie('object')),
  object: objectOf(tie('value')),
}));

function listOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(value, { maxLength: 3 }), space)
    .map(([values, gap]) => `[${gap}${values.join(`,${gap}`)}${gap}]`);
}

function objectOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const members = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 4 });
  return fc
    .tuple(members, space)
    .map(
      ([all, gap]) =>
        `{${gap}${all.map(([key, text]) => `${JSON.stringify(key)}${gap}:${gap}${text}`).join(`${gap},${gap}`)}${gap}}`,
    );
}

const members = (text: string): ReadonlyMap<string, unknown> => new Map(Object.entries(JSON.parse(text)));

describe('withMemberInText', () => {
  it.each<[text: string, path: string[], value: unknown, expected: string]>([
    ['{}', ['n'], 1, '{"n":1}'],
    [' { } ', ['n'], 1, ' { "n":1} '],
    ['{"big": 12345678901234567890, "n": 2.0 }', ['n'], 1, '{"big": 12345678901234567890, "n": 1 }'],
    ['{"a": 1.0 }', ['n'], 1, '{"a": 1.0,"n":1 }'],
    ['{"a":{"b":"}","c":[1.0]}}', ['a', 'n'], 1, '{"a":{"b":"}","c":[1.0],"n":1}}'],
    ['{"a":null,"z":0}', ['a', 'n'], 1, '{"a":{"n":1},"z":0}'],
    ['{"a":"\\\\","n":"\\""}', ['n'], 1, '{"a":"\\\\","n":1}'],
    ['{"\\u006e":5}', ['n'], 1, '{"\\u006e":1}'],
    ['{"n":5,"n":6}', ['n'], 1, '{"n":1,"n":1}'],
  ])('%s', (text, path, value, expected) => {
    expect(withMemberInText(text, path, value)).toBe(expected);
  });

  it('replaces a member, and leaves every other character as it is', () => {
    const gap = space;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, json), { maxLength: 3 }),
        json,
        fc.array(fc.tuple(name, json), { maxLength: 3 }),
        gap,
        (before, old, after, s) => {
          const others = (list: readonly (readonly [string, string])[]): string[] =>
            list.filter(([key]) => key !== 'cap').map(([key, text]) => `${JSON.stringify(key)}${s}:${text}`);
          const text = (value: string): string =>
            `{${s}${[...others(before), `"cap":${s}${value}`, ...others(after)].join(`,${s}`)}${s}}`;
          expect(withMemberInText(text(old), ['cap'], 7)).toBe(text('7'));
        },
      ),
    );
  });

  it('adds a member behind all others, and nothing else', () => {
    fc.assert(
      fc.property(objectOf(json), (text) => {
        fc.pre(!members(text).has('cap'));
        const changed = withMemberInText(text, ['cap'], 7);
        const added = text.length === changed.length ? '' : changed.replace(/,?"cap":7(?=[\t\n\r ]*\}$)/, '');
        expect(added).toBe(text);
        expect([...members(changed)]).toEqual([...members(text), ['cap', 7]].sort(byPlaceOf(changed)));
      }),
    );
  });

  it('changes an inner member like an outer one', () => {
    fc.assert(
      fc.property(objectOf(json), objectOf(json), (outer, inner) => {
        fc.pre(!members(outer).has('config'));
        const text = withMemberInText(outer, ['config'], 0).replace(
          /"config":0(?=[\t\n\r ]*\}$)/,
          () => `"config":${inner}`,
        );
        const expected =
          text.slice(0, text.lastIndexOf(inner)) +
          withMemberInText(inner, ['cap'], 7) +
          text.slice(text.lastIndexOf(inner) + inner.length);
        expect(withMemberInText(text, ['config', 'cap'], 7)).toBe(expected);
      }),
    );
  });
});

/** Engines list names that are numbers first. */
function byPlaceOf(text: string): (a: readonly unknown[], b: readonly unknown[]) => number {
  const names = [...members(text).keys()];
  return ([a], [b]) => names.indexOf(String(a)) - names.indexOf(String(b));
}

describe('repeatedName', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":{"b":1},"b":2}', undefined],
    ['{"a":[{"b":1},{"b":2,"\\u0062":3}]}', 'b'],
    ['{"a":"a","b":"\\",\\"a\\":"}', undefined],
    ['["a","a",{"a" : 1 , "a":2}]', 'a'],
    ['{}', undefined],
  ])('of %s is %s', (text, repeated) => {
    expect(repeatedName(text)).toBe(repeated);
  });

  it('is found in any text that has one, and in no other', () => {
    fc.assert(
      fc.property(objectOf(json), (text) => {
        expect(repeatedName(text)).toBeUndefined();
        const [first] = members(text).keys();
        if (first === undefined) return;
        expect(repeatedName(withRepeated(text, first))).toBe(first);
      }),
    );
  });
});

function withRepeated(text: string, key: string): string {
  return text.replace(/\}$/, () => `,${JSON.stringify(key)}:0}`);
}
