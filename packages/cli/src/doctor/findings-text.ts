import type { Colors } from '../io.js';
import { printable } from '../terminal/printable.js';
import { wrap } from '../terminal/wrap.js';
import type { Finding, Level } from './diagnosis.js';

/** The longest of the levels. */
const LEVEL_COLUMNS = 4;

const COLORS: Readonly<Record<Level, 'green' | 'yellow' | 'red'>> = { ok: 'green', warn: 'yellow', fail: 'red' };

/** Returns findings as lines: the level, the check and what is so, and below that what to do. */
export function findingsText(findings: readonly Finding[], colors: Colors, columns: number): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(LEVEL_COLUMNS + 2 + width + 2);
  const block = (text: string): string =>
    wrap(printable(text), Math.max(20, columns - indent.length)).join(`\n${indent}`);
  return findings
    .map(({ level, check, text, remedy }) => {
      const head = `${colors[COLORS[level]](level.padEnd(LEVEL_COLUMNS))}  ${check.padEnd(width)}  ${block(text)}\n`;
      return remedy === undefined ? head : `${head}${indent}${colors.bold(block(`→ ${remedy}`))}\n`;
    })
    .join('');
}
