import type { KeptResults } from '../results/kept-results.js';
import { type Column, cellsOf, figureOf } from '../results/place.js';
import { ONCE_MORE } from '../sections/http.js';
import type { Cell } from '../table.js';
import { type Bar, type BarKind, drawBars, type Panel } from './bars.js';
import type { Comparison } from './comparisons.js';

/** Draws a comparison. Returns undefined if its section was not kept. */
export function drawComparison({ section, panels, ...chart }: Comparison, results: KeptResults): string | undefined {
  const kept = results[section];
  if (!kept) return undefined;
  const drawn = [...panels].flatMap(([title, column]) => panelOf(title, column, results));
  const footer = `npm run bench -- --keep ${section}, ${kept.date.slice(0, 10)}, ${kept.machine}`;
  return drawBars({ ...chart, panels: drawn, footer });
}

/** None if the table was not kept: without a second core, no server has a core of its own. */
function panelOf(title: string, column: Column, results: KeptResults): Panel[] {
  const bars = [...cellsOf(results, column)].flatMap(([label, cell]) =>
    label === ONCE_MORE ? [] : barOf(label, cell),
  );
  return bars.length > 0 ? [{ title, bars }] : [];
}

/** None for a row without a figure, as that of a baseline. */
function barOf(label: string, cell: Cell): Bar[] {
  const value = figureOf(cell);
  if (Number.isNaN(value)) return [];
  const bar = { label: label.replace(/^Sluice,? /, ''), kind: kindOf(label), value };
  return [typeof cell === 'object' ? { ...bar, range: [cell.least, cell.most] } : bar];
}

function kindOf(label: string): BarKind {
  if (label.startsWith('Sluice')) return 'ours';
  return /^(bare|minimal) /.test(label) ? 'baseline' : 'peer';
}
