import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const SOURCE = join(__dirname, '../src');

/** Lines that hold code: no blank ones and no comments. */
function codeLines(source: string): number {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

it('The adapter translates and does nothing else: it has no more than 90 lines of code', () => {
  const lines = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => codeLines(readFileSync(join(SOURCE, file), 'utf8')));
  const total = lines.reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(90);
});
