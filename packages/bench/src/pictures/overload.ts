import { HANDLERS, type HandlerName } from '../overload/handlers.js';
import { PATIENCE_MS } from '../overload/outcome.js';
import { PROTECTIONS, type Protection } from '../overload/protection.js';
import type { Point, Results } from '../overload/results.js';
import { drawChart, type Line, type Plotted } from './chart.js';
import { drawSample, type LineLook } from './marked-line.js';

/** Sizes in pixels. */
const WIDTH = 716;
const HEIGHT = 352;
const CHART_TOP = 104;

/** The class of each protection in the style, and the shape of its marks, for those who cannot tell the colours. */
const LINES: Readonly<Record<Protection, LineLook & { readonly label: string }>> = {
  none: { label: 'nothing', style: 'none', mark: 'M-3-3L3 3M-3 3L3-3' },
  '@fastify/under-pressure': { label: '@fastify/under-pressure', style: 'pressure', mark: 'M-4 3h8L0-4z' },
  'toobusy-js': { label: 'toobusy-js', style: 'toobusy', mark: 'M-3-3h6v6h-6z' },
  shedLoad: { label: 'shedLoad', style: 'shed', mark: 'M0-4.5L4.5 0 0 4.5-4.5 0z' },
};

/** It follows the scheme of the reader, as the other pictures do. */
const STYLE = `
.card{fill:#fff;stroke:#d0d7de}text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.soft{fill:#59636e}
.grid{stroke:#d0d7de}.line{fill:none;stroke-width:2}.range{stroke-width:4;stroke-opacity:.35}.mark{stroke-width:2;fill:#fff}
.none{stroke:#59636e}.pressure{stroke:#bf8700}.toobusy{stroke:#cf222e}.shed{stroke:#0969da}
@media(prefers-color-scheme:dark){.card,.mark{fill:#0d1117}.card,.grid{stroke:#3d444d}text{fill:#f0f6fc}.soft{fill:#9198a1}
.none{stroke:#9198a1}.pressure{stroke:#d29922}.toobusy{stroke:#f85149}.shed{stroke:#4493f8}}`;

/** The handlers of which there is a picture: one that is short of processor time, and one that waits. */
export const PICTURED = ['sync', 'downstream'] as const satisfies readonly HandlerName[];

/** Draws what a measured server did under many loads, with each protection, as SVG. */
export function drawOverload(handler: HandlerName, results: Results): string {
  const measured = PROTECTIONS.map((protection) => ({
    protection,
    loads: loadsOf(handler, protection, results),
  }));
  const linesOf = (value: (point: Point) => number | undefined): Line[] =>
    measured.map(({ protection, loads }) => ({
      ...LINES[protection],
      points: loads.flatMap(({ times, points }) => plotted(times, points.map(value))),
    }));
  const runs = Math.max(...measured.flatMap(({ loads }) => loads.map(({ points }) => points.length)));
  const good = drawChart({
    title: 'Good answers, of the capacity',
    lines: linesOf(({ kept }) => 100 * kept),
    ticks: [0, 25, 50, 75, 100].map((value) => ({ value, label: `${value} %` })),
    most: 115,
  });
  const latency = drawChart({
    title: 'Latency of admitted requests, p99',
    lines: linesOf(({ outcome: { p99Ms } }) =>
      p99Ms === null ? undefined : Math.log10(Math.min(PATIENCE_MS, Math.max(10, p99Ms)) / 10),
    ),
    ticks: [10, 50, 100, 200, 500, 1_000, PATIENCE_MS].map((value) => ({
      value: Math.log10(value / 10),
      label: value === PATIENCE_MS ? 'never' : value >= 1_000 ? `${value / 1_000} s` : `${value} ms`,
    })),
    most: Math.log10(PATIENCE_MS / 10),
  });
  const title = `Fastify: ${HANDLERS[handler]}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>${title}, under half to 4 times the load that it can take</title>`,
    `<desc>${measured.map(({ protection, loads }) => summaryOf(protection, loads)).join(' ')}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="card" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="6"/>`,
    `<text class="title" x="16" y="26">${title}</text>`,
    ...legend(),
    `<g transform="translate(58 ${CHART_TOP})">\n${good}\n</g>`,
    `<g transform="translate(414 ${CHART_TOP})">\n${latency}\n</g>`,
    `<text class="soft" x="${WIDTH - 16}" y="${HEIGHT - 10}" text-anchor="end">load in times the capacity; ${runs === 1 ? 'one run' : `means and ranges of up to ${runs} runs`}; measured ${results.date.slice(0, 10)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

/** What a server did at a load, each time that it was measured. */
interface Load {
  readonly times: number;
  readonly points: readonly Point[];
}

/** All loads of the framework that all peers know, without a quota. */
function loadsOf(handler: HandlerName, protection: Protection, { runs }: Results): Load[] {
  const byTimes = new Map<number, Point[]>();
  for (const run of runs) {
    if (run.host !== 'Fastify' || run.quota || run.handler !== handler || run.protection !== protection) continue;
    for (const point of run.points) byTimes.set(point.times, [...(byTimes.get(point.times) ?? []), point]);
  }
  if (byTimes.size === 0) throw new Error(`the results have no run of Fastify, ${handler}, ${protection}`);
  return [...byTimes].map(([times, points]) => ({ times, points })).sort((a, b) => a.times - b.times);
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Runs that have no value do not count. If none has one, there is no point. */
function plotted(times: number, measured: readonly (number | undefined)[]): Plotted[] {
  const values = measured.filter((value) => value !== undefined);
  if (values.length === 0) return [];
  return [{ times, mean: meanOf(values), least: Math.min(...values), most: Math.max(...values) }];
}

function summaryOf(protection: Protection, loads: readonly Load[]): string {
  const parts = loads.map(({ times, points }) => {
    const kept = meanOf(points.map((point) => point.kept));
    return `${Math.round(100 * kept)} % at ${times}`;
  });
  return `${LINES[protection].label}: ${parts.join(', ')}.`;
}

function legend(): string[] {
  let x = 16;
  return Object.values(LINES).map(({ label, ...look }) => {
    const drawn = `<g transform="translate(${x} 50)">${drawSample(look)}<text x="33" y="4">${label}</text></g>`;
    x += 62 + label.length * 6.5;
    return drawn;
  });
}
