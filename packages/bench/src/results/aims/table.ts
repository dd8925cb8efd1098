import { figure, type Table } from '../../table.js';
import type { KeptResults } from '../kept-results.js';
import { cellsOf, figureOf } from '../place.js';
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
function reachedOf({ name, column, row, beside = '', isReached }: AimedFigure, results: KeptResults): Reached[] {
  const cells = cellsOf(results, column);
  const value = figureOf(cells.get(row));
  if (Number.isNaN(value)) return [];
  const other = figureOf(cells.get(beside));
  const compared = Number.isNaN(other) ? '' : ` beside ${figure(other)}`;
  const text = `${name ?? ''} ${figure(value)}${compared}`.trim();
  return [{ text, isReached: isReached(value, other) }];
}

const linkOf = ({ text, page }: Why): string => `${text} ([why](${page}))`;
