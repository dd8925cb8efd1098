import type { Mistake } from '@sluice/config';
import type { Output } from '../io.js';
import { printable } from '../terminal/printable.js';
import { excerptOf } from './excerpt.js';

/**
 * Returns a mistake as compilers print them: the place, what is wrong and what to write instead, and the line of the file.
 *
 * @param text - the text of the file
 */
export function mistakeLines(mistake: Mistake, text: string, { colors, isTTY, columns }: Output): string {
  const { origin, line, column, message, code } = mistake;
  const gutter = String(line).length + 4;
  const excerpt = excerptOf(text, line, column, (isTTY ? columns : PIPED_COLUMNS) - gutter - 2);
  const place = colors.bold(`${printable(origin)}:${line}:${column}:`);
  return [
    `${place} ${colors.red('error:')} ${colors.bold(printable(message))} ${colors.dim(`(${code})`)}`,
    `${colors.dim(`${String(line).padStart(gutter)} |`)} ${excerpt.line}`,
    `${colors.dim(`${' '.repeat(gutter)} |`)} ${colors.red(excerpt.mark)}`,
    '',
  ].join('\n');
}

/** Where there is no terminal, only very long lines are cut. */
const PIPED_COLUMNS = 200;
