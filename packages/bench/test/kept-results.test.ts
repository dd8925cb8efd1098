import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeptSection, keepSection, readResults } from '../src/results/kept-results.js';
import { pageOf } from '../src/results/page.js';

const PACKAGE = join(__dirname, '..');
const ORDER = ['first', 'second'];
let folder: URL;

beforeEach(() => {
  folder = pathToFileURL(`${mkdtempSync(join(tmpdir(), 'sluice-bench-test-'))}/`);
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const sectionOf = (title: string, date: string): KeptSection => ({
  ...{ title, date, machine: 'a machine', scale: 'short', loadAverage: 0.5 },
  tables: [
    {
      caption: 'Speed',
      head: ['', 'ns', 'times'],
      rows: [
        ['one', 1234.56789, { median: 1, least: 0.5, most: 2 }],
        ['other', Number.NaN, ''],
        // Rounded to six digits and then to three, it is 4.61; at once, it is 4.6.
        ['twice', 4.6049999, ''],
      ],
    },
  ],
});

describe('kept results', () => {
  it('are none before the first run', () => {
    expect(readResults(folder)).toEqual({});
  });

  it('are replaced section by section, in the order of the sections', () => {
    keepSection('second', sectionOf('Second', '2026-11-22'), ORDER, folder);
    keepSection('first', sectionOf('First', '2026-11-23'), ORDER, folder);
    keepSection('second', sectionOf('Second', '2026-11-24'), ORDER, folder);
    const results = readResults(folder);
    expect(Object.entries(results).map(([name, { date }]) => [name, date])).toEqual([
      ['first', '2026-11-23'],
      ['second', '2026-11-24'],
    ]);
    expect(results.first?.tables[0]?.rows).toEqual([
      ['one', 1234.57, { median: 1, least: 0.5, most: 2 }],
      ['other', Number.NaN, ''],
      ['twice', 4.605, ''],
    ]);
  });

  it('are also a page, which says when and by which command each table was made', () => {
    keepSection('first', sectionOf('First', '2026-11-23T01:02:03Z'), ORDER, folder);
    const page = readFileSync(new URL('bench.md', folder), 'utf8');
    expect(page).toContain(
      '## First\n\n`npm run bench -- --keep first`, 2026-11-23, a machine, load average before 0.5.\n\n**Speed**',
    );
    expect(page).toMatch(/^\| one {3}\| 1,235 \| 1 \(0\.5 to 2\) \|$/m);
    expect(page).toMatch(/^\| other \| {5}- \| {14}\|$/m);
    expect(page).toBe(pageOf(readResults(folder)));
  });

  it('of this repository are what their page shows', () => {
    const page = readFileSync(join(PACKAGE, 'results/bench.md'), 'utf8');
    if (page !== pageOf(readResults())) throw new Error('bench.md is not the page of bench.json');
  });
});
