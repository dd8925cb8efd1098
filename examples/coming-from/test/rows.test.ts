import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

// The page that says where people find the system they come from.

const DOCS = join(__dirname, '../../../packages/core/docs');
const INDEX = join(DOCS, 'coming-from.md');
const text = readFileSync(INDEX, 'utf8');

/** How many limiters of people the project promises to have: rows S1 to S16. */
const ROWS = 16;

const rows = [...text.matchAll(/^\| (S\d+) +\|.*?\]\(([^)#]+)(?:#[^)]*)?\) +\| \[[^\]]+\]\(([^)]+)\) +\|$/gm)].map(
  ([, row, page, test]) => ({ row, page, test }) as { row: string; page: string; test: string },
);

describe('The limiters as people write them', () => {
  it('are all there', () => {
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, i) => `S${i + 1}`));
  });

  it.each(rows)('$row has a page', ({ page }) => {
    expect(existsSync(join(dirname(INDEX), page))).toBe(true);
  });

  it.each(rows)('$row has a test of its name', ({ row, test }) => {
    const tests = readFileSync(join(dirname(INDEX), test), 'utf8');
    expect(tests).toMatch(new RegExp(`(?:\\bit|\\]\\))\\(\\s*'(?:\\w+, )*${row}(?:, \\w+)*: `));
  });
});

describe('The behaviours of textbooks', () => {
  const folder = join(__dirname, '../../../packages/test-kit/src/textbook');
  const tests = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const page = readFileSync(join(DOCS, 'coming-from/textbook.md'), 'utf8');
  const named = [...page.matchAll(/^\| (A\d+) +\|/gm)].map(([, row]) => row as string);

  it('are those of the tests', () => {
    const tested = tests.flatMap((test) => [...test.matchAll(/['[(](A\d+)(?=:|',)/g)].map(([, row]) => row as string));
    expect(named).toEqual([...new Set(tested)].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))));
  });
});

it('each page of a system is in the list, and on the list of the site', () => {
  const pages = readdirSync(join(DOCS, 'coming-from'));
  const site = readFileSync(join(__dirname, '../../../.config/site/pages.mjs'), 'utf8');
  expect(pages.filter((page) => !text.includes(`(coming-from/${page})`))).toEqual([]);
  expect(pages.filter((page) => !site.includes(`coming-from/${page}'`))).toEqual([]);
});
