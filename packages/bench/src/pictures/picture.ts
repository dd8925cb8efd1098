import { isHandled, summaryOf } from './figures.js';
import type { Mode, Period } from './modes.js';
import { CLASSES, drawRow, ROW_WIDTH } from './row.js';
import type { Fate, Outcome, Simulation } from './simulate.js';
import { TRAFFIC_MS } from './traffic.js';

const LINE = 18;

/** The longest line of code that fits into the width. */
const MOST_CHARACTERS = 86;

const LABELS: Readonly<Record<Fate, string>> = {
  'at once': 'handled at once',
  late: 'handled after a wait',
  beyond: 'handled beyond the limit',
  refused: 'refused',
};
const FATES: readonly Fate[] = ['at once', 'late', 'beyond', 'refused'];

/** A background of its own makes the picture legible on any page. It follows the scheme of the reader. */
const STYLE = `
.card{fill:#fff;stroke:#d0d7de}text{font:12px system-ui,sans-serif;fill:#1f2328}.code{font:13px ui-monospace,monospace}
.soft{fill:#59636e}.axis{stroke:#59636e}.came{fill:none;stroke:#818b98}.busy{fill:#818b98;fill-opacity:.25}
.now{fill:#0969da}.late{fill:#bf8700}.beyond{fill:#8250df}.refused{fill:#cf222e}.stripe{stroke:#fff}
@media(prefers-color-scheme:dark){.card{fill:#0d1117;stroke:#3d444d}text{fill:#f0f6fc}.soft{fill:#9198a1}.axis{stroke:#9198a1}
.now{fill:#4493f8}.late{fill:#d29922}.beyond{fill:#ab7df8}.refused{fill:#f85149}.stripe{stroke:#0d1117}}`;

const STRIPES =
  '<pattern id="stripes" width="4" height="4" patternUnits="userSpaceOnUse"><path class="stripe" d="M-1 1l2-2M0 4l4-4M3 5l2-2"/></pattern>';

/**
 * Draws what a mode made of the traffic, as SVG.
 *
 * @throws Error if a request is handled after the end of the picture, where nobody would see it
 */
export function draw({ name, busy, event }: Mode, { code, outcomes }: Simulation): string {
  if (outcomes.some((outcome) => isHandled(outcome) && outcome.endedMs >= TRAFFIC_MS))
    throw new Error(`${name}: the picture ends before the last request is handled`);
  const names = [...new Set(outcomes.map(({ row }) => row))].sort();
  const ofRow = (row: string): readonly Outcome[] => outcomes.filter((outcome) => outcome.row === row);
  const lines = [...linesOf(code), ...(event ? [event] : [])];
  const legendTop = lines.length * LINE + 18;
  let height = legendTop + 14;
  const rows = names.map((row) => {
    const drawn = drawRow(row, ofRow(row), busy);
    const placed = `<g transform="translate(0 ${height})">\n${drawn.svg}\n</g>`;
    height += drawn.height;
    return placed;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${ROW_WIDTH}" height="${height}" viewBox="0 0 ${ROW_WIDTH} ${height}" role="img">`,
    `<title>${code}</title>`,
    `<desc>${names.map((row) => `${row} ${summaryOf(ofRow(row))}`.trim()).join('. ')}.</desc>`,
    `<style>${STYLE}\n</style>`,
    STRIPES,
    `<rect class="card" x=".5" y=".5" width="${ROW_WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    ...lines.map((line, i) => `<text class="code" x="16" y="${24 + i * LINE}">${line}</text>`),
    ...legend(outcomes, busy, legendTop),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

/** Breaks code after commas. */
function linesOf(code: string): string[] {
  const lines = [''];
  for (const part of code.split(/(?<=, )/)) {
    if ((lines.at(-1) + part).length > MOST_CHARACTERS) lines.push('');
    lines.push(`${lines.pop()}${part}`);
  }
  return lines;
}

function legend(outcomes: readonly Outcome[], busy: Period | undefined, top: number): string[] {
  const marks = FATES.filter((fate) => outcomes.some((outcome) => outcome.fate === fate)).map((fate) => ({
    mark: square(CLASSES[fate]),
    label: LABELS[fate],
  }));
  marks.push({ mark: '<path class="came" d="M0 10H6V3h5"/>', label: 'arrived' });
  if (busy) marks.push({ mark: square('busy'), label: 'the process is busy' });
  let x = 16;
  return marks.map(({ mark, label }) => {
    const drawn = `<g transform="translate(${x} ${top})">${mark}<text x="17" y="10">${label}</text></g>`;
    x += 40 + label.length * 6;
    return drawn;
  });
}

function square(style: string): string {
  const drawn = `<path class="${style}" d="M0 0h11v11H0z"/>`;
  return style === CLASSES.beyond ? `${drawn}<path fill="url(#stripes)" d="M0 0h11v11H0z"/>` : drawn;
}
