import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { VECTORS } from '@sluice/conformance';
import { changeRules } from '@sluice/conformance/src/store-suite/change-rules';

const PAGE = readFileSync(join(__dirname, '../docs/changing-limits-safely.md'), 'utf8');

it('Every row about changed numbers names a test of every store, and every rule about them has a row', () => {
  const [, section = ''] = PAGE.split('## Changed numbers\n');
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  const tests = rows
    .slice(
      2,
      rows.findIndex((row) => row.includes('Side by side')),
    )
    .map((row) => row.split('|')[5]?.trim());
  const rules = Object.keys(changeRules);
  const known = [...rules, ...VECTORS.flatMap(({ cases }) => cases.map(({ name }) => name))];
  expect(tests.filter((test) => !known.includes(test ?? ''))).toEqual([]);
  expect(rules.filter((rule) => !tests.includes(rule))).toEqual([]);
});
