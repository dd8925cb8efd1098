import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { LIMIT_CHANGES } from '@sluice/test-kit/limit-change-suite';

const PAGE = readFileSync(join(__dirname, '../docs/changing-limits-safely.md'), 'utf8');

/** The first column of the table under a heading. */
function rowsUnder(heading: string): string[] {
  const [, section = ''] = PAGE.split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  const rows = table.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => (row.split('|')[1] ?? '').trim());
}

it('Every row about changed limits is tested over every store, and every test has a row', () => {
  expect(rowsUnder('What is shared, and what starts afresh')).toEqual(Object.keys(LIMIT_CHANGES));
});
