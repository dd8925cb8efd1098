import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = resolve(__dirname, '..');

/** `storeSuite` of `@sluice/conformance`: what a page or a docstring says that an entry has. */
const NAMED = /`(\w+)(?:\(\))?`\s+(?:\*\s+)?(?:of|from)\s+(?:\*\s+)?`(@sluice\/[a-z/-]+)`/g;

/** The page of old names has entries that are gone. */
const OF_OLD_NAMES = 'packages/core/docs/renamed.md';

const texts = execFileSync('git', ['ls-files', '*.md', 'packages/*/src/*.ts', 'packages/*/entries/*.ts', '*.d.cts'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && path !== OF_OLD_NAMES);

/** The file of an entry: `packages/core/entries/http.ts` of `@sluice/core/http`. */
function fileOf(entry: string): string | undefined {
  const [, name, path] = /^@sluice\/([a-z]+)(.*)$/.exec(entry) ?? [];
  const { exports } = JSON.parse(readFileSync(join(ROOT, `packages/${name}/package.json`), 'utf8'));
  const file = exports[`.${path}`]?.['@sluice/source'];
  return file && join(ROOT, `packages/${name}`, file);
}

/** The names that a file exports in lists, and what it exports again as a whole. */
function exportedBy(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const lists = [...text.matchAll(/export\s+(?:type\s+)?\{([^}]*)\}/g)].flatMap(([, list = '']) => list.split(','));
  const wholes = [...text.matchAll(/export \* from '([^']+)'/g)].flatMap(([, from = '']) => {
    const again = from.startsWith('.') ? join(dirname(file), from.replace(/\.js$/, '.ts')) : fileOf(from);
    return again ? exportedBy(again) : [];
  });
  const own = [...text.matchAll(/export (?:async )?(?:const|function|class|interface|type) (\w+)/g)].map(
    ([, name = '']) => name,
  );
  return [
    ...lists.map((one) =>
      one
        .trim()
        .replace(/^type /, '')
        .replace(/^.* as /, ''),
    ),
    ...wholes,
    ...own,
  ];
}

it('Texts name entries that have what they are said to have', () => {
  const named = texts.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(NAMED)].map(([, name = '', entry = '']) => ({
      path,
      name,
      entry,
    })),
  );
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter(({ name, entry }) => {
    const file = fileOf(entry);
    return file === undefined || !exportedBy(file).includes(name);
  });
  expect(missing).toEqual([]);
});
