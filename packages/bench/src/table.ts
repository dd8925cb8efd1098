import type { Spread } from './spread.js';

/** A figure is a number or a spread until it is printed, so that pictures can be drawn from kept tables. */
export type Cell = string | number | Spread;

export interface Table {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** What the reader has to know about single rows. */
  readonly notes?: readonly string[];
  /** Whether columns hold text. Default: all but the first hold figures. */
  readonly isText?: boolean;
}

/** As Markdown. Figures stand to the right. */
export function markdown({ caption, head, rows: cells, notes = [], isText = false }: Table): string {
  const rows = cells.map((row) => row.map(textOf));
  const widths = head.map((title, i) => Math.max(3, title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const isLeft = (column: number): boolean => isText || column === 0;
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, i) => (isLeft(i) ? (cells[i] ?? '').padEnd(width) : (cells[i] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (isLeft(i) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const table = [line(head), rule, ...rows.map(line)].join('\n');
  const remarks = notes.map((note) => `- ${note}`).join('\n');
  return [`**${caption}**`, table, remarks].filter((part) => part !== '').join('\n\n');
}

function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  return typeof cell === 'number' ? figure(cell) : spread(cell);
}

/** Three digits are more than any of these figures is good for. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) < 0.005) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 2) });
}

/** A count per second, in thousands or millions where it is that large. */
export function rate(perSecond: number): string {
  if (perSecond >= 1e6) return `${figure(perSecond / 1e6)} M/s`;
  return perSecond >= 1e4 ? `${figure(perSecond / 1e3)} k/s` : `${figure(perSecond)} /s`;
}

export function spread({ median, least, most }: Spread): string {
  return `${figure(median)} (${figure(least)} to ${figure(most)})`;
}
