import type { Mistake } from '@sluice/config';
import type { Output } from '../io.js';
import { printable, widthOf } from '../terminal/printable.js';
import { wrap } from '../terminal/wrap.js';
import { excerptOf } from './excerpt.js';

/** Whether a file is refused for what is wrong with it. */
export type Severity = 'error' | 'warning';

/**
 * Returns a mistake as compilers print them: the place, what is wrong and what to write instead, and the line of the file.
 *
 * @param text - the text of the file
 */
export function mistakeLines(
  mistake: Mistake,
  text: string,
  { colors, isTTY, columns }: Output,
  severity: Severity = 'error',
): string {
  const color = severity === 'error' ? colors.red : colors.yellow;
  const { origin, line, column, message, code } = mistake;
  const gutter = String(line).length + 4;
  const excerpt = excerptOf(text, line, column, (isTTY ? columns : PIPED_COLUMNS) - gutter - 2);
  const place = `${printable(origin)}:${line}:${column}:`;
  const [first = '', ...rest] = isTTY
    ? wrapAfter(`${place} ${severity}: `, `${printable(message)} (${code})`, columns)
    : [`${printable(message)} (${code})`];
  return [
    `${colors.bold(place)} ${color(`${severity}:`)} ${colors.bold(first)}`,
    ...rest.map((text) => `  ${colors.bold(text)}`),
    `${colors.dim(`${String(line).padStart(gutter)} |`)} ${excerpt.line}`,
    `${colors.dim(`${' '.repeat(gutter)} |`)} ${color(excerpt.mark)}`,
    '',
  ].join('\n');
}

/** Breaks the text behind a heading. The lines that follow are indented by two columns. */
function wrapAfter(heading: string, text: string, columns: number): string[] {
  const blank = '\u00A0'.repeat(Math.max(0, widthOf(heading) - 2));
  return wrap(`${blank}${text}`, columns - 2).map((line) => line.replace(blank, ''));
}

/** Where there is no terminal, only very long lines are cut. */
const PIPED_COLUMNS = 200;
