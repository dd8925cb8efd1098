import { describe, expect, it } from '@jest/globals';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { luaOf } from '../lua/arithmetic.cjs';
import { CONSTRUCTS, inJavaScript, numbers, resultsOf } from './constructs.js';

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

  it('refuses constants that are no numbers', () => {
    expect(() => luaOf("const NAME = 'a'; export function run() { return NAME; }", 'a.ts', 'run')).toThrow('a.ts:1:14');
  });
});
