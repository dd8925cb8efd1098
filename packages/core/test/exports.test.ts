import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = resolve(__dirname, '../../..');

/** Folders of which nobody writes the files by hand. */
const NOT_WRITTEN = ['node_modules', 'dist', 'generated', '.git'];

/** Files whose exports are found by a name that is made while running, or are used to lay out objects. */
const FOUND_BY_NAME = [
  'packages/bench/src/contenders/',
  'packages/core/src/limiter/decision-builder.ts LAID_OUT_DECISIONS',
];

/** What Lua has written into it: `-- Inline: const free = available(state, limit, nowMs)`. */
const INLINE = /^ *-- Inline: (.*)$/gm;

function filesIn(folder: string, written = /\.[cm]?[jt]sx?$/): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !NOT_WRITTEN.includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path, written);
      return written.test(entry.name) ? [path] : [];
    });
}

/** The text without its comments. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"])\/\/.*$/gm, '$1');
}

/** `import { a, type B as C } from`, `export { a } from`, and `const { a } = await import(`. */
const NAMED = [
  /\b(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from/g,
  /\bconst\s*\{([^}]*)\}\s*=\s*(?:await\s+)?(?:import|require)\(/g,
];

/** `import * as operations from './operations.js'`, and `export * from`. */
const WHOLE = /\b(?:import|export)\s+\*\s*(?:as\s+\w+\s+)?from\s+'(\.[^']*)\.js'/g;

const EXPORTED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class|interface|type|enum)\s+([\w$]+)/gm;

it('Every export of every package is imported by another file', () => {
  const files = ['packages', 'examples', '.config'].flatMap((folder) => filesIn(join(ROOT, folder)));
  const texts = files.map((file) => [file, code(readFileSync(file, 'utf8'))] as const);
  const importers = new Map<string, Set<string>>();
  const readWhole = new Set<string>();
  for (const [file, text] of texts) {
    const lists = NAMED.flatMap((form) => [...text.matchAll(form)].map(([, list]) => list as string));
    for (const part of lists.flatMap((list) => list.split(','))) {
      const [name = ''] = part
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+|:/);
      importers.set(name.trim(), (importers.get(name.trim()) ?? new Set()).add(file));
    }
    for (const [, path] of text.matchAll(WHOLE)) readWhole.add(`${resolve(dirname(file), path as string)}.ts`);
  }
  for (const file of filesIn(join(ROOT, 'packages/redis'), /\.lua$/)) {
    for (const [, statement] of readFileSync(file, 'utf8').matchAll(INLINE)) {
      for (const [, name] of (statement as string).matchAll(/(\w+)\(/g)) {
        importers.set(name as string, (importers.get(name as string) ?? new Set()).add(file));
      }
    }
  }
  const unread = texts.flatMap(([file, text]) => {
    const path = relative(ROOT, file);
    if (!/^packages\/[^/]+\/src\//.test(path) || readWhole.has(file)) return [];
    return [...text.matchAll(EXPORTED)]
      .map(([, name]) => name as string)
      .filter((name) => [...(importers.get(name) ?? [])].every((importer) => importer === file))
      .map((name) => `${path} ${name}`)
      .filter((place) => !FOUND_BY_NAME.some((known) => place.startsWith(known)));
  });
  expect(unread).toEqual([]);
});

it('No entry point for authors exports what another one exports', () => {
  const folder = join(ROOT, 'packages/core/entries');
  const entryOf = new Map<string, string>();
  const twice: string[] = [];
  for (const entry of ['browser.ts', 'http.ts', 'store.ts']) {
    const text = code(readFileSync(join(folder, entry), 'utf8'));
    for (const [, list] of text.matchAll(/\bexport\s+(?:type\s+)?\{([^}]*)\}/g)) {
      for (const name of (list as string).split(',').map((part) => part.trim().replace(/^type\s+/, ''))) {
        if (name !== '' && entryOf.has(name)) twice.push(`${name}: ${entryOf.get(name)} and ${entry}`);
        entryOf.set(name, entry);
      }
    }
  }
  expect(twice).toEqual([]);
});
