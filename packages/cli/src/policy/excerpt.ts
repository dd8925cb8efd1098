import { printable, widthOf } from '../terminal/printable.js';

/** A line of a file, and what is marked in it. Both are safe to print. */
interface Excerpt {
  readonly line: string;
  /** Spaces up to the place, and a mark under each of its characters. */
  readonly mark: string;
}

/** What is shown before a place in a long line. */
const BEFORE = 30;

/**
 * Returns the line of a place, cut to so many columns, and the mark that belongs under it.
 *
 * @param line - from 1
 * @param column - from 1, in UTF-16 units as YAML counts them
 */
export function excerptOf(text: string, line: number, column: number, columns: number): Excerpt {
  const whole = lineOf(text, line);
  const from = whole.length <= columns ? 0 : Math.max(0, column - 1 - BEFORE);
  const head = from === 0 ? '' : '…';
  const shown = cut(whole.slice(from), Math.max(20, columns) - head.length);
  const before = head + clean(shown.slice(0, column - 1 - from));
  const token = TOKEN.exec(whole.slice(column - 1))?.[0] ?? '';
  const marked = clean(token.slice(0, Math.max(0, shown.length - (column - 1 - from))));
  return {
    line: (head + clean(shown)).trimEnd(),
    mark: `${' '.repeat(widthOf(before))}^${'~'.repeat(Math.max(0, widthOf(marked) - 1))}`,
  };
}

/** What begins at a place: a quoted text, or everything up to a character that ends plain text in YAML. */
const TOKEN = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s:,{}[\]#"']+)/;

const clean = (text: string): string => printable(text.replaceAll('\t', ' '));

function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}

function lineOf(text: string, line: number): string {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    const end = text.indexOf('\n', start);
    if (end < 0) return '';
    start = end + 1;
  }
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? undefined : end).replace(/\r$/, '');
}
