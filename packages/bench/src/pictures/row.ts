import { summaryOf } from './figures.js';
import type { Period } from './modes.js';
import type { Fate, Outcome } from './simulate.js';
import { TRAFFIC_MS } from './traffic.js';

const SECONDS = TRAFFIC_MS / 1000;

/** Sizes in pixels: of a second, of a request, and of what is around the columns. */
const COLUMN = 11;
const UNIT = 6;
const LEFT = 40;
const HEAD = 38;
const FOOT = 30;

export const ROW_WIDTH = LEFT + SECONDS * COLUMN + 16;

/** The class of each fate in the style. */
export const CLASSES: Readonly<Record<Fate, string>> = {
  'at once': 'now',
  late: 'late',
  beyond: 'beyond',
  refused: 'refused',
};

/** The fates above the line, from the lowest. */
const HANDLED: readonly Fate[] = ['at once', 'late', 'beyond'];

export interface Row {
  readonly svg: string;
  readonly height: number;
}

/** Draws a column for each second: handled requests above the line, at the time when they were handled, and refused ones below. */
export function drawRow(name: string, outcomes: readonly Outcome[], busy: Period | undefined): Row {
  const countsOf = (fate: Fate): number[] =>
    perSecond(outcomes.filter((outcome) => outcome.fate === fate).map(({ endedMs }) => endedMs));
  const arrived = perSecond(outcomes.map(({ arrivedMs }) => arrivedMs));
  const heights = new Array<number>(SECONDS).fill(0);
  const bars = HANDLED.map((fate) => bar(CLASSES[fate], stack(countsOf(fate), heights)));
  const refused = countsOf('refused');
  const up = UNIT * Math.max(...heights, ...arrived);
  const down = UNIT * Math.max(...refused);
  const axis = HEAD + up;
  const parts = [
    `<text x="16" y="24">${name === '' ? '' : `${name}: `}${summaryOf(outcomes)}</text>`,
    label(ROW_WIDTH - 16, 24, 'end', 'requests per second'),
    `<g transform="translate(${LEFT} ${axis})">`,
    busy ? band(busy, up, down) : '',
    ...bars,
    bar(
      CLASSES.refused,
      stack(
        refused.map((count) => -count),
        new Array<number>(SECONDS).fill(0),
      ),
    ),
    `<path class="came" d="M0 0${arrived.map((count) => `V${-count * UNIT}h${COLUMN}`).join('')}V0"/>`,
    `<path class="axis" d="M0 0H${SECONDS * COLUMN}"/>`,
    ...[0, 5, 10].filter((count) => count * UNIT <= up).map((count) => label(-8, 4 - count * UNIT, 'end', count)),
    ...[0, 10, 20, 30, 40, 50, 60].map((second) => label(second * COLUMN, down + 18, 'middle', `${second} s`)),
    '</g>',
  ];
  return { svg: parts.filter((part) => part !== '').join('\n'), height: axis + down + FOOT };
}

function perSecond(timesMs: readonly number[]): number[] {
  const counts = new Array<number>(SECONDS).fill(0);
  for (const timeMs of timesMs) counts[Math.floor(timeMs / 1000)] = (counts[Math.floor(timeMs / 1000)] ?? 0) + 1;
  return counts;
}

/** Puts counts on top of `heights`, which grow. Returns the lower and the upper end of each. */
function stack(counts: readonly number[], heights: number[]): readonly (readonly [number, number])[] {
  return counts.map((count, second) => {
    const from = heights[second] ?? 0;
    heights[second] = from + count;
    return [from, from + count];
  });
}

function bar(style: string, ends: readonly (readonly [number, number])[]): string {
  const boxes = ends.map(([from, to], second) =>
    from === to ? '' : `M${second * COLUMN + 1} ${-from * UNIT}V${-to * UNIT}h${COLUMN - 2}V${-from * UNIT}z`,
  );
  const path = boxes.join('');
  if (path === '') return '';
  const drawn = `<path class="${style}" d="${path}"/>`;
  return style === 'beyond' ? `${drawn}\n<path fill="url(#stripes)" d="${path}"/>` : drawn;
}

function band({ fromMs, toMs }: Period, up: number, down: number): string {
  const x = (fromMs / 1000) * COLUMN;
  return `<rect class="busy" x="${x}" y="${-up}" width="${(toMs / 1000) * COLUMN - x}" height="${up + down}"/>`;
}

const label = (x: number, y: number, anchor: string, text: number | string): string =>
  `<text class="soft" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
