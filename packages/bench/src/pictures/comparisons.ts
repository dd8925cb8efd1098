import { TIMES } from '../redis-table.js';
import type { KeptResults } from '../results/kept-results.js';
import { type Column, cellsOf, figureOf } from '../results/place.js';
import type { Cell } from '../table.js';
import { type Bar, type BarChart, type BarKind, drawBars, type Panel } from './bars.js';

/** The column of a kept table that a panel shows. */
interface Source extends Omit<Column, 'section'> {
  readonly title: string;
}

interface Comparison extends Pick<BarChart, 'title' | 'axis' | 'mark'> {
  /** The name of the picture's file. */
  readonly name: string;
  readonly section: string;
  readonly sources: readonly Source[];
  /** Rows that are not shown. */
  readonly without?: readonly string[];
}

const PINNED = /server on a core of its own$/;
const ANYWHERE = /on any core$/;

/** The comparisons with other libraries that a reader wants to see first. */
export const COMPARISONS: readonly Comparison[] = [
  {
    name: 'redis-one-caller',
    title: 'Redis, one caller: times the minimal script. Less is better',
    section: 'redis',
    axis: 'linear',
    mark: 1,
    sources: [
      source('p50, server on a core of its own', captionOf('1 caller at once', PINNED), TIMES.p50),
      source('p50, any core', captionOf('1 caller at once', ANYWHERE), TIMES.p50),
      source('Redis’ own time, server on a core of its own', captionOf('1 caller at once', PINNED), TIMES.command),
      source('Redis’ own time, any core', captionOf('1 caller at once', ANYWHERE), TIMES.command),
    ],
  },
  {
    name: 'redis-many-callers',
    title: 'Redis, many callers: decisions a second, times the minimal script. More is better',
    section: 'redis',
    axis: 'linear',
    mark: 1,
    sources: [
      source('64, server on a core of its own', captionOf('64 callers at once', PINNED), TIMES.decisions),
      source('64, any core', captionOf('64 callers at once', ANYWHERE), TIMES.decisions),
      source('256, server on a core of its own', captionOf('256 callers at once', PINNED), TIMES.decisions),
      source('256, any core', captionOf('256 callers at once', ANYWHERE), TIMES.decisions),
    ],
  },
  {
    name: 'in-process',
    title: 'In process: nanoseconds for a decision, on a logarithmic axis. Less is better',
    section: 'in-process',
    axis: 'log',
    sources: [
      source('One hot key, allowed; fresh strings', /^One hot key, allowed; a fresh/, 'ns'),
      source('One hot key, refused; fresh strings', /^One hot key, refused; a fresh/, 'ns'),
      source('100,000 keys', /keys, one as often as another$/, 'ns'),
      source('1,000,000 keys by Zipf’s law', /^1,000,000 keys by Zipf/, 'ns'),
    ],
  },
  {
    name: 'http',
    without: ['Sluice, once more'],
    title: 'HTTP: microseconds of the processor that limiting adds to a request. Less is better',
    section: 'http',
    axis: 'linear',
    sources: ['Express', 'Fastify', 'Nest on Express', 'Nest on Fastify'].map((host) =>
      source(`${host}, by address`, new RegExp(`^${host}, .* by address .*, allowed$`), 'more than the bare'),
    ),
  },
  {
    name: 'rare',
    title: 'New processes and rare calls over Redis: times the minimal script. Less is better',
    section: 'rare',
    axis: 'linear',
    mark: 1,
    sources: [
      source('First 100 calls of a process, p50', /^Over Redis: the first/, 'p50, times'),
      source('First 100 calls of a process, p99', /^Over Redis: the first/, 'p99, times'),
      source('One call in 100 ms, p50', /^Over Redis: one call/, 'p50, times'),
      source('One call in 100 ms, p99', /^Over Redis: one call/, 'p99, times'),
    ],
  },
];

function source(title: string, caption: RegExp, head: string): Source {
  return { title, caption, head };
}

function captionOf(start: string, end: RegExp): RegExp {
  return new RegExp(`^${start}, .*allowed; .*${end.source}`);
}

/** Draws a comparison. Returns undefined if its section was not kept. */
export function drawComparison(comparison: Comparison, results: KeptResults): string | undefined {
  const { section, sources, without = [], ...chart } = comparison;
  const kept = results[section];
  if (!kept) return undefined;
  const panels = sources.flatMap((one) => panelOf(one, section, without, results));
  const footer = `npm run bench -- --keep ${section}, ${kept.date.slice(0, 10)}, ${kept.machine}`;
  return drawBars({ ...chart, panels, footer });
}

/** None if the table was not kept: without a second core, no server has a core of its own. */
function panelOf(
  { title, ...column }: Source,
  section: string,
  without: readonly string[],
  results: KeptResults,
): Panel[] {
  const cells = [...cellsOf(results, { ...column, section })].filter(([label]) => !without.includes(label));
  const bars = cells.flatMap(([label, cell]) => barOf(label, cell));
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
