import { figure } from '../table.js';
import { escaped } from './escaped.js';

/** Sizes in pixels. */
const WIDTH = 716;
const LINE = 18;
const PANEL = { width: 342, left: 178, bars: 118 };
const HEAD = 66;
const FOOT = 30;

export type BarKind = 'ours' | 'peer' | 'baseline';

export interface Bar {
  readonly label: string;
  readonly kind: BarKind;
  readonly value: number;
  /** How far rounds went to both sides. */
  readonly range?: readonly [least: number, most: number];
}

export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface BarChart {
  readonly title: string;
  /** Whether a step of the axis adds or multiplies. */
  readonly axis: 'linear' | 'log';
  /** A value to compare with, which gets a line. */
  readonly mark?: number;
  readonly panels: readonly Panel[];
  readonly footer: string;
}

/** Stands behind the figure of a peer whose spread overlaps with that of Sluice. */
const SAME = '≈';
const SAME_MEANS = `${SAME} no difference from the first row of Sluice: the spreads overlap`;

const KINDS: Readonly<Record<BarKind, string>> = { ours: 'Sluice', peer: 'peers', baseline: 'baselines' };

/** It follows the scheme of the reader, as the other pictures do. */
const STYLE = `
.card{fill:#fff;stroke:#d0d7de}text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.soft{fill:#59636e}
.axis{stroke:#818b98}.mark{stroke:#59636e;stroke-dasharray:3 3}.range{stroke:#1f2328}
.value{paint-order:stroke;stroke:#fff;stroke-width:3px}
.ours{fill:#0969da}.peer{fill:#d4a72c}.baseline{fill:#afb8c1}
@media(prefers-color-scheme:dark){.card{fill:#0d1117;stroke:#3d444d}text{fill:#f0f6fc}.soft{fill:#9198a1}.value{stroke:#0d1117}.mark{stroke:#9198a1}.range{stroke:#f0f6fc}
.ours{fill:#4493f8}.peer{fill:#9e6a03}.baseline{fill:#656c76}}`;

/** Draws bars of figures, as SVG: a panel for each table, two side by side, all with one axis. */
export function drawBars(chart: BarChart): string {
  const { title, panels, footer } = chart;
  const x = axisOf(chart);
  const heights = panels.map(({ bars }) => 36 + bars.length * LINE);
  const rows = Array.from({ length: Math.ceil(panels.length / 2) }, (_, row) =>
    Math.max(...heights.slice(2 * row, 2 * row + 2)),
  );
  const topOf = (row: number): number => HEAD + rows.slice(0, row).reduce((sum, height) => sum + height, 0);
  const height = topOf(rows.length) + FOOT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(panels.map(summaryOf).join(' '))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="card" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    `<text class="title" x="16" y="26">${escaped(title)}</text>`,
    ...legend(panels.some(({ bars }) => bars.some((bar) => isSame(bar, bars)))),
    ...panels.map((panel, i) => {
      const place = `translate(${16 + (i % 2) * PANEL.width} ${topOf(i >> 1)})`;
      return `<g transform="${place}">\n${drawPanel(panel, x, chart.mark)}\n</g>`;
    }),
    `<text class="soft" x="${WIDTH - 16}" y="${height - 12}" text-anchor="end">${escaped(footer)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

type Axis = (value: number) => number;

/** Where a value is, from the left of the bars. The largest bar of the chart has the whole width. */
function axisOf({ axis, panels }: BarChart): Axis {
  const values = panels.flatMap(({ bars }) => bars.map(({ value }) => value));
  const most = Math.max(...values);
  const least = Math.min(...values.filter((value) => value > 0)) / 2;
  const share = (value: number): number =>
    axis === 'linear' ? value / most : Math.log(Math.max(value, least) / least) / Math.log(most / least);
  return (value) => Math.round(10 * PANEL.bars * Math.min(1.08, Math.max(0, share(value)))) / 10;
}

function drawPanel({ title, bars }: Panel, x: Axis, mark?: number): string {
  const height = bars.length * LINE;
  return [
    `<text x="0" y="14">${escaped(title)}</text>`,
    `<g transform="translate(${PANEL.left - 16} 24)">`,
    ...(mark === undefined ? [] : [`<path class="mark" d="M${x(mark)} 0V${height}"/>`]),
    ...bars.map((bar, i) => drawBar(bar, i * LINE, x, isSame(bar, bars))),
    `<path class="axis" d="M0 0V${height}"/>`,
    '</g>',
  ].join('\n');
}

/** Whether the spread of a peer overlaps with that of Sluice, so that neither can be called better. */
function isSame({ kind, range }: Bar, bars: readonly Bar[]): boolean {
  const ours = bars.find((bar) => bar.kind === 'ours')?.range;
  return kind === 'peer' && range !== undefined && ours !== undefined && range[0] <= ours[1] && ours[0] <= range[1];
}

function drawBar({ label, kind, value, range }: Bar, top: number, x: Axis, same: boolean): string {
  const parts = [
    `<text x="-6" y="${top + 13}" text-anchor="end">${escaped(label)}</text>`,
    `<rect class="${kind}" y="${top + 3}" width="${x(value)}" height="${LINE - 6}"/>`,
  ];
  const end = Math.max(x(value), range ? x(range[1]) : 0);
  if (range) parts.push(`<path class="range" d="M${x(range[0])} ${top + LINE / 2}H${x(range[1])}"/>`);
  parts.push(
    `<text class="soft value" x="${end + 5}" y="${top + 13}">${figure(value)}${same ? ` ${SAME}` : ''}</text>`,
  );
  return parts.join('');
}

function legend(hasSame: boolean): string[] {
  let x = 16;
  const kinds = (Object.keys(KINDS) as BarKind[]).map((kind) => {
    const label = KINDS[kind];
    const drawn = `<g transform="translate(${x} 40)"><path class="${kind}" d="M0 0h11v11H0z"/><text x="17" y="10">${label}</text></g>`;
    x += 44 + label.length * 6;
    return drawn;
  });
  return hasSame ? [...kinds, `<text class="soft" x="${x}" y="50">${SAME_MEANS}</text>`] : kinds;
}

function summaryOf({ title, bars }: Panel): string {
  const figures = bars.map(
    (bar) => `${bar.label} ${figure(bar.value)}${isSame(bar, bars) ? ' (no difference from Sluice)' : ''}`,
  );
  return `${title}: ${figures.join(', ')}.`;
}
