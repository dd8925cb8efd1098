import { describe, expect, it } from '@jest/globals';
import type { Operator } from '../../src/mutants/change.js';
import { typescriptChanges } from '../../src/mutants/typescript/typescript-changes.js';
import { textsWith } from './texts-with.js';

const changed = (operator: Operator, text: string): string[] => textsWith(operator, text, typescriptChanges(text));

describe('Changes of TypeScript', () => {
  it.each<[Operator, string, string[]]>([
    ['comparison', 'f(a < b);', ['f(a <= b);']],
    ['comparison', 'f((a + 1) >= (b));', ['f((a + 1) > (b));']],
    ['comparison', "f(a === '===');", ["f(a !== '===');"]],
    ['bound', 'f(x > 10);', ['f(x > 11);', 'f(x > 9);']],
    ['bound', 'const last = items[0];', ['const last = items[1];']],
    ['bound', 'const MOST = 1_000;', ['const MOST = 1001;', 'const MOST = 999;']],
    ['bound', 'const mask = a & 0xff;', []],
    ['extreme', 'const a = Math.min(b, c);', ['const a = Math.max(b, c);']],
    ['rounding', 'const a = Math.ceil(b);', ['const a = Math.floor(b);']],
    ['condition', 'if (a) b(); else c();', ['!(a)', 'true', 'false'].map((test) => `if (${test}) b(); else c();`)],
    ['condition', 'const a = !b ? 1 : 2;', ['b', 'true', 'false'].map((test) => `const a = ${test} ? 1 : 2;`)],
    ['condition', 'while (a) b();', ['while (false) b();']],
    ['condition', 'for (;;) b();', []],
    [
      'condition',
      "if (a) throw new Error('b');",
      ['!(a)', 'false'].map((test) => `if (${test}) throw new Error('b');`),
    ],
    ['logic', 'const a = b && (c || d);', ['const a = b || (c || d);', 'const a = b && (c && d);']],
    ['fallback', 'const a = (b && c) ?? d;', ['const a = (b && c) ;']],
    ['arithmetic', 'const a = b + (c - d);', ['const a = b - (c - d);', 'const a = b + (c + d);']],
    ['arithmetic', "const a = 'b' + c + d;", []],
    ['arithmetic', 'function f() { a += b; }', ['function f() { a -= b; }']],
    ['arithmetic', 'for (let i = 0; a; i += 1) b();', []],
    ['statement', 'function f() { if (a) b(c); }', ['function f() { if (a) ; }']],
    ['statement', 'async function f() { await b(c); }', ['async function f() { ; }']],
    ['statement', 'function f() { this.a = b; }', ['function f() { ; }']],
    ['statement', 'class A extends B { constructor(a) { super(a); this.a = a; } }', []],
    ['increment', 'function f() { a += 1; b++; }', ['function f() { ; b++; }', 'function f() { a += 1; ; }']],
    ['guard', 'function f() { if (a) return b; c(); }', ['function f() { ; c(); }']],
    ['guard', 'for (const a of b) { if (a) { continue; } c(); }', ['for (const a of b) { ; c(); }']],
    ['arguments', 'f(a, b.c, d + 1);', ['f(b.c, a, d + 1);', 'f(a, d + 1, b.c);']],
    ['arguments', 'f(a, () => b, { c }); Math.max(a, b); f(a, a);', []],
    ['returned value', 'const f = () => true;', ['const f = () => false;']],
    ['returned value', 'function f() { return a.b; }', ['function f() { return undefined; }']],
    ['returned value', 'function f() { return undefined; } const g = () => ({ a });', []],
  ])('%s: %s', (operator, text, expected) => {
    expect(changed(operator, text)).toEqual(expected);
  });

  it.each([
    ['imports', "import { a } from './a.js';"],
    ['types', "type A<B> = B extends 1 ? 'a' : 2; interface C { readonly d: 1 }"],
    ['what is thrown', 'throw new Error(a < 1 ? f(b, c) : d);'],
    ['texts of errors', 'const a = () => { const b = new RangeError(c > 1); };'],
    ['fields', 'class A { #b = 1; readonly c = d + 1; }'],
    ['comments', 'const a = b /* < 1 */ ;'],
  ])('leave %s as they are', (_what, text) => {
    expect(typescriptChanges(text)).toEqual([]);
  });

  it('look through casts', () => {
    expect(changed('arithmetic', 'const a = ((b as number) + c!) satisfies number;')).toEqual([
      'const a = ((b as number) - c!) satisfies number;',
    ]);
  });

  it('know the function that they are in', () => {
    const text = 'class A { b() { c(() => d < 1); } #e = () => d < 2; } const f = () => d < 3; g(d < 4);';
    const within = typescriptChanges(text).filter(({ operator }) => operator === 'comparison');
    expect(within.map((change) => change.within)).toEqual(['A.b', 'A.#e', 'f', '']);
  });
});
