import { HANDLERS, type HandlerName } from '../overload/handlers.js';
import { type Outcome, PATIENCE_MS } from '../overload/outcome.js';
import { PROTECTIONS, type Protection } from '../overload/protection.js';
import { goodAtOnce, type Results } from '../overload/results.js';
import { drawChart, type Line } from './chart.js';

/** Sizes in pixels. */
const WIDTH = 716;
const HEIGHT = 352;
const CHART_TOP = 104;

/** The class of each protection in the style, and the shape of its marks, for those who cannot tell the colours. */
const LINES: Readonly<Record<Protection, Pick<Line, 'style' | 'mark'> & { readonly label: string }>> = {
  none: { label: 'nothing', style: 'none', mark: 'M-3-3L3 3M-3 3L3-3' },
  '@fastify/under-pressure': { label: '@fastify/under-pressure', style: 'pressure', mark: 'M-4 3h8L0-4z' },
  'toobusy-js': { label: 'toobusy-js', style: 'toobusy', mark: 'M-3-3h6v6h-6z' },
  shedLoad: { label: 'shedLoad', style: 'shed', mark: 'M0-4.5L4.5 0 0 4.5-4.5 0z' },
};

/** It follows the scheme of the reader, as the other pictures do. */
const STYLE = `
.card{fill:#fff;stroke:#d0d7de}text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.soft{fill:#59636e}
.grid{stroke:#d0d7de}.line{fill:none;stroke-width:2}.mark{stroke-width:2;fill:#fff}
.none{stroke:#59636e}.pressure{stroke:#bf8700}.toobusy{stroke:#cf222e}.shed{stroke:#0969da}
@media(prefers-color-scheme:dark){.card,.mark{fill:#0d1117}.card,.grid{stroke:#3d444d}text{fill:#f0f6fc}.soft{fill:#9198a1}
.none{stroke:#9198a1}.pressure{stroke:#d29922}.toobusy{stroke:#f85149}.shed{stroke:#4493f8}}`;

/** Draws what a measured server did under many loads, with each protection, as SVG. */
export function drawOverload(handler: HandlerName, results: Results): string {
  const measured = PROTECTIONS.map((protection) => ({
    protection,
    outcomes: outcomesOf(handler, protection, results),
  }));
  const most = goodAtOnce(rowOf(handler, 'none', results), results.rows);
  const linesOf = (value: (outcome: Outcome) => number): Line[] =>
    measured.map(({ protection, outcomes }) => ({
      ...LINES[protection],
      points: outcomes.map(([times, outcome]) => [times, value(outcome)]),
    }));
  const good = drawChart({
    title: 'Good answers, of those at 1 x',
    lines: linesOf(({ goodPerSecond }) => (100 * goodPerSecond) / most),
    ticks: [0, 25, 50, 75, 100].map((value) => ({ value, label: `${value} %` })),
    most: 115,
  });
  const latency = drawChart({
    title: 'Latency of admitted requests, p99',
    lines: linesOf(({ p99Ms }) => Math.log10(Math.min(PATIENCE_MS, Math.max(10, p99Ms)) / 10)),
    ticks: [10, 50, 100, 200, 500, 1_000, PATIENCE_MS].map((value) => ({
      value: Math.log10(value / 10),
      label: value === PATIENCE_MS ? 'never' : value >= 1_000 ? `${value / 1_000} s` : `${value} ms`,
    })),
    most: Math.log10(PATIENCE_MS / 10),
  });
  const title = `Fastify: ${HANDLERS[handler]}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>${title}, under 0.25 to 4 times the load that it can take</title>`,
    `<desc>${measured.map(({ protection, outcomes }) => summaryOf(protection, outcomes, most)).join(' ')}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="card" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="6"/>`,
    `<text class="title" x="16" y="26">${title}</text>`,
    ...legend(),
    `<g transform="translate(58 ${CHART_TOP})">\n${good}\n</g>`,
    `<g transform="translate(414 ${CHART_TOP})">\n${latency}\n</g>`,
    `<text class="soft" x="${WIDTH - 16}" y="${HEIGHT - 10}" text-anchor="end">offered load, in times the capacity of the server; measured ${results.date.slice(0, 10)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

type Measured = readonly (readonly [times: number, outcome: Outcome])[];

const rowOf = (handler: HandlerName, protection: Protection, { rows }: Results) => {
  const found = rows.find(
    (row) => row.host === 'Fastify' && !row.quota && row.handler === handler && row.protection === protection,
  );
  if (!found) throw new Error(`the results have no row of Fastify, ${handler}, ${protection}`);
  return found;
};

function outcomesOf(handler: HandlerName, protection: Protection, results: Results): Measured {
  const { once, thrice } = rowOf(handler, protection, results);
  const points = results.points.filter((point) => point.handler === handler && point.protection === protection);
  const all: [number, Outcome][] = [
    ...points.map(({ times, outcome }): [number, Outcome] => [times, outcome]),
    [1, once],
    [3, thrice],
  ];
  return all.sort(([a], [b]) => a - b);
}

function summaryOf(protection: Protection, outcomes: Measured, most: number): string {
  const parts = outcomes.map(
    ([times, { goodPerSecond }]) => `${Math.round((100 * goodPerSecond) / most)} % at ${times}`,
  );
  return `${LINES[protection].label}: ${parts.join(', ')}.`;
}

function legend(): string[] {
  let x = 16;
  return Object.values(LINES).map(({ label, style, mark }) => {
    const drawn = `<g transform="translate(${x} 50)"><path class="line ${style}" d="M0 0h26"/><path class="mark ${style}" transform="translate(13 0)" d="${mark}"/><text x="33" y="4">${label}</text></g>`;
    x += 62 + label.length * 6.5;
    return drawn;
  });
}
