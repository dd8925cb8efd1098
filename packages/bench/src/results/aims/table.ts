import { figure, type Table } from '../../table.js';
import type { KeptResults } from '../kept-results.js';
import { cellsOf, figureOf, overlap } from '../place.js';
import type { Aim, AimedFigure, Why } from './aim.js';

/** A row for each aim whose figures were kept. */
export function aimTable(caption: string, aims: readonly Aim[], results: KeptResults): Table {
  const rows = aims.flatMap((aim) => rowOf(aim, results));
  return { caption, head: ['', 'aim', 'reached', '', 'why not'], rows, isText: true };
}

function rowOf({ measure, aim, figures, why }: Aim, results: KeptResults): string[][] {
  const reached = figures.flatMap((figure) => reachedOf(figure, results));
  if (reached.length === 0) return [];
  const texts = reached.map(({ text, isReached }) => (isReached ? text : `**${text}**`));
  const isMissed = reached.some(({ isReached }) => !isReached);
  return [[measure, aim, texts.join(', '), isMissed ? '**missed**' : 'met', isMissed ? linkOf(why) : '']];
}

interface Reached {
  readonly text: string;
  readonly isReached: boolean;
}

/** None if the figure was not kept. */
function reachedOf(aimed: AimedFigure, results: KeptResults): Reached[] {
  const { name, column, row, beside = [], isReached, intervals } = aimed;
  const cells = cellsOf(results, column);
  const value = figureOf(cells.get(row));
  if (Number.isNaN(value)) return [];
  const [most] = beside.filter((one) => cells.has(one)).sort((a, b) => figureOf(cells.get(b)) - figureOf(cells.get(a)));
  const other = most === undefined ? Number.NaN : figureOf(cells.get(most));
  const compared = most === undefined ? '' : ` beside ${figure(other)}`;
  const text = `${name ?? ''} ${figure(value)}${compared}`.trim();
  if (isReached(value, other)) return [{ text, isReached: true }];
  const isSame = intervals !== undefined && most !== undefined && overlap(cellsOf(results, intervals), row, most);
  return [{ text: isSame ? `${text} (no difference)` : text, isReached: isSame }];
}

const linkOf = ({ text, page }: Why): string => `${text} ([why](${page}))`;
