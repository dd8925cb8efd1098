import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import { describe, expect, it } from '@jest/globals';
import { parse as parseLua } from 'luaparse';
import { chosenFrom, drawMutants } from '../../src/mutants/draw-mutants.js';
import { type Mutant, mutantsOf, overlap, textWith } from '../../src/mutants/mutant.js';
import { checkoutRoot, isLua, mutantsOfFile, sourceFiles } from '../../src/mutants/sources.js';
import { typescriptChanges } from '../../src/mutants/typescript/typescript-changes.js';

const root = checkoutRoot();
const byFile = sourceFiles(root).map((file) => mutantsOfFile(root, file));
const drawn = chosenFrom(byFile, { seed: 1, count: 200 });

const mostOf = (mutants: readonly Mutant[], keyOf: (mutant: Mutant) => string): number =>
  Math.max(...mutants.map((mutant) => mutants.filter((other) => keyOf(other) === keyOf(mutant)).length));

describe('Mutants', () => {
  it('are as many as wanted, each once', () => {
    expect(new Set(drawn.map(({ id }) => id)).size).toBe(200);
  });

  it('are the same for the same seed, and others for another', () => {
    expect(drawMutants({ seed: 1, count: 200 })).toEqual(drawn);
    const others = new Set(chosenFrom(byFile, { seed: 2, count: 200 }).map(({ id }) => id));
    expect(drawn.filter(({ id }) => others.has(id)).length).toBeLessThan(20);
  });

  it('never change one place twice', () => {
    const pairs = drawn.flatMap((a, i) => drawn.slice(i + 1).map((b): [Mutant, Mutant] => [a, b]));
    expect(pairs.filter(([a, b]) => a.file === b.file && overlap(a, b))).toEqual([]);
  });

  it('are spread over files and functions', () => {
    expect(new Set(drawn.map(({ file }) => file)).size).toBeGreaterThan(100);
    expect(mostOf(drawn, ({ file }) => file)).toBeLessThan(12);
    expect(mostOf(drawn, ({ file, within }) => `${file} ${within}`)).toBeLessThanOrEqual(3);
    expect(drawn.filter(({ file }) => isLua(file)).length).toBeGreaterThan(20);
  });

  it('are programs', () => {
    for (const mutant of drawn) {
      const text = textWith(mutant, readFileSync(join(root, mutant.file), 'utf8'));
      const parsed = () =>
        isLua(mutant.file)
          ? parseLua(text, { luaVersion: '5.1' })
          : parse(text, { sourceType: 'module', plugins: ['typescript'] });
      expect(parsed).not.toThrow();
    }
  });

  it('are of sources that are written by hand', () => {
    const files = sourceFiles(root);
    expect(files).toContain('packages/redis/lua/single-request-path.lua');
    expect(files.filter((file) => file.includes('generated') || file.endsWith('.mjs'))).toEqual([]);
  });

  it('keep their names when their function moves', () => {
    const text = 'function f(a: number) {\n  return a < 1;\n}\nfunction g(a: number) {\n  return a < 1;\n}\n';
    const namesOf = (code: string) => mutantsOf('a.ts', code, typescriptChanges(code)).map(({ id }) => id);
    const names = namesOf(text);
    expect(new Set(names).size).toBe(names.length);
    expect(namesOf(`const h = 'i';\n\n${text}`)).toEqual(names);
  });

  it('show where they are and what they change', () => {
    const text = 'function f(a: number) {\n  return a < 1;\n}\n';
    const [mutant] = mutantsOf('a.ts', text, typescriptChanges(text)).filter(
      ({ operator }) => operator === 'comparison',
    );
    expect(mutant).toMatchObject({ line: 2, column: 12, within: 'f', before: 'a < 1', after: 'a <= 1' });
  });

  it('shorten long code around a change', () => {
    const text = `f(${'a + '.repeat(50)}b < c);`;
    const [mutant] = mutantsOf('a.ts', text, typescriptChanges(text)).filter(
      ({ operator }) => operator === 'comparison',
    );
    expect(mutant?.after).toBe('…+ a + a + a + a + a + a + a + a + a + b <= c');
  });
});
