import type { KeptResults } from '../results/kept-results.js';
import { type Column, cellsOf, figureOf } from '../results/place.js';
import { figure } from '../table.js';
import { escaped } from './escaped.js';
import { drawMarkedLine, drawSample, type LineLook } from './marked-line.js';

/** Sizes in pixels. */
const WIDTH = 716;
const PANEL = { width: 350, height: 200, left: 46, top: 96 };
const PLANE = { width: 270, height: 132 };

/** The class of each line in the style, and the shape of its marks, for those who cannot tell the colours. */
const LINES = {
  ours: { label: 'Sluice; over Redis, the caller', mark: 'M0-4.5L4.5 0 0 4.5-4.5 0z' },
  redis: { label: 'Redis', mark: 'M-4 3h8L0-4z' },
  map: { label: 'a Map counter', mark: 'M-3-3h6v6h-6z' },
} as const;

type LineName = keyof typeof LINES;

const lookOf = (name: LineName): LineLook => ({ style: name, mark: LINES[name].mark });

/** It follows the scheme of the reader, as the other pictures do. */
const STYLE = `
.card{fill:#fff;stroke:#d0d7de}text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.soft{fill:#59636e}
.grid{stroke:#d0d7de}.line{fill:none;stroke-width:2}.mark{stroke-width:2;fill:#fff}.as-much{fill:none;stroke:#59636e;stroke-dasharray:3 3}
.ours{stroke:#0969da}.map{stroke:#818b98}.redis{stroke:#cf222e}
@media(prefers-color-scheme:dark){.card,.mark{fill:#0d1117}.card,.grid{stroke:#3d444d}text{fill:#f0f6fc}.soft{fill:#9198a1}
.as-much{stroke:#9198a1}.ours{stroke:#4493f8}.map{stroke:#9198a1}.redis{stroke:#f85149}}`;

/** One line of a panel. */
interface LineSource {
  readonly column: Column;
  /** What is before the size in the first cell of its rows. */
  readonly row: string;
}

/** Figures over the size of something. Both axes are logarithmic, so that a straight line up to the right is a power of the size. */
interface Panel {
  readonly title: string;
  readonly lines: Partial<Readonly<Record<LineName, LineSource>>>;
}

/** A column of a table of the section `growth`. */
const grown = (caption: string, head: string): Column => ({ section: 'growth', caption: [caption, ''], head });

/** A column of a table about memory, of Sluice and of a Map. */
function inMemory(caption: string, head: string): Panel['lines'] {
  const column = grown(caption, head);
  return {
    ours: { column, row: 'Sluice sliding window' },
    map: { column, row: 'bare Map counter' },
  };
}

function overRedis(caption: string): Panel['lines'] {
  return {
    ours: { column: grown(caption, "µs of the caller's"), row: 'Sluice' },
    redis: { column: grown(caption, "µs of Redis'"), row: 'Sluice' },
  };
}

const PANELS: readonly Panel[] = [
  { title: 'Live keys: ns for a decision', lines: inMemory('Live keys in memory', 'ns of the processor') },
  { title: 'Live keys: bytes for each', lines: inMemory('Live keys in memory', 'bytes per key') },
  { title: 'Live keys: longest turn while they come, ms', lines: inMemory('Live keys in memory', 'longest turn') },
  { title: 'Characters of a key: ns for a decision', lines: inMemory('The length of', 'ns of the processor') },
  { title: 'Characters of a key, over Redis: µs', lines: overRedis('The length of keys over Redis') },
  { title: 'Policies over one connection: µs', lines: overRedis('Policies over one connection') },
];

/** What was measured of one size. */
interface Point {
  readonly size: number;
  readonly value: number;
}

type Drawn = readonly (readonly [name: LineName, points: readonly Point[]])[];

/** The lines of a panel. */
interface Figures {
  readonly title: string;
  readonly lines: Drawn;
}

/** What the picture shows: figures by size. None if the section was not kept. */
export function grownFigures(results: KeptResults): readonly Figures[] {
  if (!results.growth) return [];
  return PANELS.map(({ title, lines }) => ({ title, lines: linesOf(lines, results) }));
}

/** Draws how figures grow, as SVG. Returns undefined if the section was not kept. */
export function drawGrowth(results: KeptResults): string | undefined {
  const kept = results.growth;
  if (!kept) return undefined;
  const panels = grownFigures(results);
  const height = PANEL.top + Math.ceil(panels.length / 2) * PANEL.height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    '<title>How figures grow with keys, with their length, and with policies</title>',
    `<desc>${escaped(panels.map(summaryOf).join(' '))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="card" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    '<text class="title" x="16" y="26">Room to grow: both axes are logarithmic</text>',
    ...legend(),
    ...panels.map(({ title, lines }, i) => {
      const place = `translate(${PANEL.left + (i % 2) * PANEL.width} ${PANEL.top + (i >> 1) * PANEL.height})`;
      return `<g transform="${place}">\n${drawPanel(title, lines)}\n</g>`;
    }),
    `<text class="soft" x="${WIDTH - 16}" y="${height - 14}" text-anchor="end">npm run bench -- --keep growth, ${kept.date.slice(0, 10)}, ${escaped(kept.machine)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function linesOf(lines: Panel['lines'], results: KeptResults): Drawn {
  return (Object.entries(lines) as [LineName, LineSource][]).map(([name, source]) => [name, pointsOf(source, results)]);
}

function pointsOf({ column, row }: LineSource, results: KeptResults): Point[] {
  return [...cellsOf(results, column)].flatMap(([label, cell]) => {
    const [, of, size = ''] = /^(.+), \w+: ([\d,]+)$/.exec(label) ?? [];
    return of === row ? [{ size: Number(size.replaceAll(',', '')), value: figureOf(cell) }] : [];
  });
}

function drawPanel(title: string, lines: Drawn): string {
  const points = lines.flatMap(([, own]) => own);
  const x = logAxis(
    points.map(({ size }) => size),
    PLANE.width,
  );
  const values = points.map(({ value }) => value);
  const ticks = ticksFor(values);
  const y = (value: number): number => round(PLANE.height - logAxis(ticks, PLANE.height)(value));
  return [
    `<text x="0" y="-14">${escaped(title)}</text>`,
    ...ticks.map(
      (tick) => `<path class="grid" d="M0 ${y(tick)}H${PLANE.width}"/>${softText(-6, y(tick) + 4, 'end', short(tick))}`,
    ),
    ...[...new Set(points.map(({ size }) => size))].map((size) =>
      softText(x(size), PLANE.height + 18, 'middle', short(size)),
    ),
    asMuch(lines[0]?.[1] ?? [], x, y),
    ...lines.map(([name, own]) =>
      drawMarkedLine(
        lookOf(name),
        own.map(({ size, value }) => ({ x: x(size), y: y(value) })),
      ),
    ),
  ].join('\n');
}

/** What would grow as fast as the size, from the first point to the top of the plane. */
function asMuch([first]: readonly Point[], x: (size: number) => number, y: (value: number) => number): string {
  if (!first) return '';
  const { size, value } = first;
  // Both axes are logarithmic, so that any factor shows the slope.
  const steps = [1, 10, 100, 1000].map((times) => ({ x: x(size * times), y: y(value * times) }));
  const [from, to] = steps as [{ x: number; y: number }, { x: number; y: number }];
  const slope = (to.y - from.y) / (to.x - from.x);
  const endX = Math.min(PLANE.width, from.x - from.y / slope);
  return `<path class="as-much" d="M${from.x} ${from.y}L${round(endX)} ${round(from.y + slope * (endX - from.x))}"/>`;
}

/** Where a value is, of those between the least and the largest of these. */
function logAxis(values: readonly number[], length: number): (value: number) => number {
  const [least, most] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  return (value) => round((length * (Math.log(value) - least)) / (most - least));
}

/** Round numbers, of which the first is below the values and the last above them. */
function ticksFor(values: readonly number[]): number[] {
  const decade = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const most = Math.max(...values);
  const isLong = most / decade > 200;
  const ticks = [decade];
  for (let power = decade; (ticks.at(-1) as number) < most; power *= 10)
    for (const times of isLong ? [10] : [2, 5, 10]) if ((ticks.at(-1) as number) < most) ticks.push(power * times);
  while ((ticks[1] as number) <= Math.min(...values)) ticks.shift();
  return ticks;
}

function legend(): string[] {
  const own = (Object.keys(LINES) as LineName[]).map((name) => ({
    label: LINES[name].label,
    line: drawSample(lookOf(name)),
  }));
  const guide = { label: 'as fast as the size', line: '<path class="as-much" d="M0 0h26"/>' };
  let x = 16;
  return [...own, guide].map(({ label, line }) => {
    const drawn = `<g transform="translate(${x} 50)">${line}<text x="33" y="4">${label}</text></g>`;
    x += 56 + label.length * 6.5;
    return drawn;
  });
}

function summaryOf({ title, lines }: Figures): string {
  const parts = lines.map(
    ([name, points]) =>
      `${LINES[name].label} ${points.map(({ size, value }) => `${figure(value)} at ${short(size)}`).join(', ')}`,
  );
  return `${title}: ${parts.join('; ')}.`;
}

/** 10000 is 10 k. */
function short(value: number): string {
  if (value >= 1e6) return `${figure(value / 1e6)} M`;
  return value >= 1e4 ? `${figure(value / 1e3)} k` : figure(value);
}

function softText(x: number, y: number, anchor: string, content: string): string {
  return `<text class="soft" x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
}

const round = (value: number): number => Math.round(10 * value) / 10;
