import type { Cell, Table } from '../table.js';
import type { KeptResults } from './kept-results.js';

/** A column of a kept table. */
export interface Column {
  readonly section: string;
  /** How the caption of the table begins and ends. */
  readonly caption: readonly [start: string, end: string];
  /** How the head of the column begins. */
  readonly head: string;
}

/** The cells of a column, by the first cell of their rows. None if the table was not kept. */
export function cellsOf(results: KeptResults, { section, caption, head }: Column): ReadonlyMap<string, Cell> {
  const [start, end] = caption;
  const table = results[section]?.tables.find((one) => one.caption.startsWith(start) && one.caption.endsWith(end));
  if (!table) return new Map();
  const index = indexOf(table, head);
  return new Map(table.rows.map((row) => [`${row[0]}`, row[index] ?? '']));
}

/** NaN for a cell without a figure. */
export function figureOf(cell: Cell | undefined): number {
  if (typeof cell === 'number') return cell;
  return typeof cell === 'object' ? cell.median : Number.NaN;
}

/** Whether the intervals of two rows overlap, so that nobody knows which of them is less. False if a cell is no interval. */
export function overlap(cells: ReadonlyMap<string, Cell>, row: string, other: string): boolean {
  const [one, two] = [cells.get(row), cells.get(other)];
  return typeof one === 'object' && typeof two === 'object' && one.least <= two.most && two.least <= one.most;
}

function indexOf({ caption, head: heads }: Table, head: string): number {
  const index = heads.findIndex((one) => one.startsWith(head));
  if (index < 0) throw new Error(`The table "${caption}" has no column ${head}`);
  return index;
}
