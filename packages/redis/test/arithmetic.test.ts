import { describe, expect, it } from '@jest/globals';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { luaOf } from '../lua/arithmetic.cjs';
import { CONSTRUCTS, inJavaScript, numbers, resultsOf } from './constructs.js';
import { programs, withoutSigns } from './random-programs.js';

let client: Redis;

withRedis((given) => {
  client = given;
});

/** Runs the function `run` of a source as Lua in Redis. */
const inLua = (source: string, args: readonly number[]): Promise<number[]> => {
  const values = args.map((_, i) => `tonumber(ARGV[${i + 1}])`).join(', ');
  return resultsOf(client, `${luaOf(source, 'a.ts', 'run')}\nlocal results = { run(${values}) }`, args);
};

describe('what the arithmetic may be written in', () => {
  it.each(Object.entries(CONSTRUCTS))('computes the same in Lua: %s', async (_, source) => {
    await fc.assert(
      fc.asyncProperty(numbers, numbers, async (a, b) => {
        expect(await inLua(source, [a, b])).toEqual(inJavaScript(source, [a, b]));
      }),
      { numRuns: 30 },
    );
  });

  it('computes the same in Lua: random programs', async () => {
    await fc.assert(
      fc.asyncProperty(programs, numbers, numbers, async (source, a, b) => {
        expect(withoutSigns(await inLua(source, [a, b]))).toEqual(withoutSigns(inJavaScript(source, [a, b])));
      }),
      { numRuns: 100 },
    );
  });

  it('defines functions before those that call them, and none that nobody calls', () => {
    const source =
      'export function run(a: number) { return twice(a); } function twice(a: number) { return 2 * a; } function unused() { return 1; }';
    expect(luaOf(source, 'a.ts', 'run').match(/function \w+/g)).toEqual(['function twice', 'function run']);
  });
});

/** What may not, and what is said about it. */
const REFUSED: readonly (readonly [what: string, body: string, says: string])[] = [
  ['a remainder', 'return a % 2;', 'BinaryExpression has no translation'],
  ['another function of Math', 'return Math.round(a);', 'only functions of the arithmetic are called'],
  ['a function from elsewhere', 'return Number(a);', 'only functions of the arithmetic are called'],
  ['a choice within a sum', 'return 1 + (a > 1 ? 2 : 3);', 'ConditionalExpression has no translation'],
  ['a default by ??', 'const b = a ?? 1; return b;', '?? has no translation'],
  ['a number as a condition', 'if (a) return 1; return 2;', 'a condition is a comparison'],
  ['a template', 'return `a`;', 'TemplateLiteral has no translation'],
  ['a spread', 'return { ...a };', 'SpreadElement has no translation'],
  ['a loop over values', 'for (const b of [a]) return b; return 1;', 'ForOfStatement has no translation'],
  ['a loop up to what changes', 'let n = a; for (let i = 0; i < n; i += 1) n -= 1; return n;', 'a loop counts by 1'],
  ['a loop with another step', 'const n = a; for (let i = 0; i < n; i += 2) return i; return n;', 'a loop counts by 1'],
  ['a product in place', 'let b = a; b *= 2; return b;', '*= has no translation'],
  ['a word of Lua', 'const end = a; return end;', 'end is a word of Lua'],
  ['a list sorted as text', 'const list = [a]; list.sort(); return list[0];', 'a list is sorted by (a, b) => a - b'],
  ['a list cut by its length', 'const list = [a]; list.length = 0; return 1;', 'a list is cut by splice'],
  [
    'the removal of all that follows',
    'const list = [a]; list.splice(0); return 1;',
    'splice takes a place and a count',
  ],
  ['a function within', 'const f = () => a; return 1;', 'ArrowFunctionExpression has no translation'],
  [
    'a second variable of a loop',
    'for (let i = 0, n = a; i < n; i += 1) return i; return 1;',
    'a loop has one variable',
  ],
  ['a loop by another variable', 'for (let i = 0; a < a; i += 1) return i; return 1;', 'a loop counts by 1'],
  ['a loop by a sum', 'const n = a; for (let i = 0; i + 1 < n; i += 1) return i; return 1;', 'a loop counts by 1'],
  ['a loop that counts another', 'let j = 0; for (let i = 0; i < a; j += 1) return j; return 1;', 'a loop counts by 1'],
  ['a loop without an end', 'for (let i = 0; ; i += 1) return i;', 'a loop counts by 1'],
  ['a loop without a variable', 'let i = 0; for (; i < a; i += 1) return i; return 1;', 'a loop has one variable'],
  ['two entries at once', 'const list = [a]; list.push(a, a); return list.length;', 'push takes at most 1 arguments'],
  ['no entry', 'const list = [a]; list.push(); return list.length;', 'push takes an entry'],
  ['entries in place of others', 'const list = [a]; list.splice(0, 1, 2); return 1;', 'splice takes at most 2'],
  ['a variable of the whole function', 'var b = a; return b;', 'a variable is declared by const or let'],
  ['a variable without a value', 'let b; b = a; return b;', 'a variable has a value from the beginning'],
  ['a field with a word of Lua', 'const state = { end: a }; return 1;', 'end is a word of Lua'],
  ['a field that is read by a word of Lua', 'return (a as never as { end: number }).end;', 'end is a word of Lua'],
  ['a field by its text', "return (a as never as { b: number })['b'];", 'a list has its entries by numbers'],
  ['a computed field', 'const state = { [a]: a }; return 1;', 'ObjectProperty has no translation'],
  ['the rest of the fields', 'const { ...b } = { c: a }; return 1;', 'RestElement has no translation'],
  ['a default of a field', 'const { b = 1 } = { b: a }; return b;', 'AssignmentPattern has no translation'],
  ['a hole in a list', 'const list = [a, , a]; return 1;', 'a list has no holes'],
  ['the name of a function of Lua', 'const min = a; return Math.min(min, 1);', 'min is the name of something else'],
  ['no number', 'return NaN;', 'NaN is not known'],
  ['an infinite number', 'return Infinity;', 'Infinity is not known'],
  ['a number that is too large', 'return 1e999;', 'Lua would read it in another way'],
  ['a text with a quote', 'return "it\'s" === "a";', 'Lua would read it in another way'],
  ['a name from elsewhere', 'return elsewhere + a;', 'elsewhere is not known'],
  ['a condition from elsewhere', 'if (isElsewhere) return 1; return a;', 'isElsewhere is not known'],
  ['the least of nothing', 'return Math.min();', 'Math.min takes another number of arguments'],
  ['a floor of two', 'return Math.floor(a, 1);', 'Math.floor takes another number of arguments'],
];

describe('what it may not be written in', () => {
  it.each(REFUSED)('is refused, with its line: %s', (_, body, says) => {
    const source = `// A comment\nexport function run(a: number) {\n${body}\n}`;
    const translate = (): string => luaOf(source, 'folder/a.ts', 'run');
    expect(translate).toThrow(says);
    expect(translate).toThrow(/^folder\/a\.ts:3:\d+: /);
  });

  it('refuses functions that call themselves, directly or through another', () => {
    const source =
      'export function run(a: number): number { return other(a); }\nfunction other(a: number): number { return run(a); }';
    expect(() => luaOf(source, 'a.ts', 'run')).toThrow('a.ts:1:8: a function does not call itself');
  });

  it.each([
    ['constants that are no numbers', "const NAME = 'a'; export function run() { return NAME; }", 'a.ts:1:14'],
    ['variables beside functions', 'let n = 1; export function run() { return n; }', 'a.ts:1:1: only constants'],
    [
      'values from elsewhere',
      "import { n } from '../n.js'; export function run() { return n; }",
      'only types are imported',
    ],
    [
      'other names of imports',
      "import { held as n } from './bucket.js'; export function run() {}",
      'an import keeps its name',
    ],
    ['lists of exports', 'function run() {} export { run };', 'a.ts:1:19'],
    ['functions that wait', 'export async function run() { return 1; }', 'a function returns its value'],
    ['functions of many values', 'export function* run() { return 1; }', 'a function returns its value'],
    [
      'the name of a constant',
      'const N = 1; export function run(N: number) { return N; }',
      'N is the name of something else',
    ],
  ])('refuses %s', (_, source, says) => {
    expect(() => luaOf(source, 'a.ts', 'run')).toThrow(says);
  });

  it('may import types from anywhere', () => {
    const source =
      "import type { A } from '../a.js'; import { type B } from '../b.js'; export function run(a: A & B) { return a; }";
    expect(luaOf(source, 'a.ts', 'run')).toContain('return a');
  });
});
