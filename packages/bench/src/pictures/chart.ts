import { drawMarkedLine, type LineLook } from './marked-line.js';

/** Sizes in pixels. */
const WIDTH = 276;
const HEIGHT = 196;

const TIMES = [0.5, 1, 1.5, 2, 3, 4];
const MOST_TIMES = 4;

export interface Line extends LineLook {
  readonly points: readonly Plotted[];
}

/** What was measured at a load: the mean, and from where to where it went. */
export interface Plotted {
  readonly times: number;
  readonly mean: number;
  readonly least: number;
  readonly most: number;
}

export interface Chart {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
  /** The value at the top. */
  readonly most: number;
}

/** Draws values over the offered load. Its origin is the upper left corner of the plane. */
export function drawChart({ title, lines, ticks, most }: Chart): string {
  const x = (times: number): number => round((WIDTH * times) / MOST_TIMES);
  const y = (value: number): number => round(HEIGHT * (1 - Math.min(value, most) / most));
  return [
    `<text x="0" y="-14">${title}</text>`,
    ...ticks.map(
      ({ value, label }) => `<path class="grid" d="M0 ${y(value)}H${WIDTH}"/>${text(-8, y(value) + 4, 'end', label)}`,
    ),
    ...TIMES.map((times) => text(x(times), HEIGHT + 18, 'middle', times === 0.5 ? '½' : `${times} x`)),
    ...lines.map(({ style, mark, points }) =>
      [
        ...points
          .filter(({ least, most: highest }) => y(least) > y(highest))
          .map(
            ({ times, least, most: highest }) =>
              `<path class="range ${style}" d="M${x(times)} ${y(least)}V${y(highest)}"/>`,
          ),
        drawMarkedLine(
          { style, mark },
          points.map(({ times, mean }) => ({ x: x(times), y: y(mean) })),
        ),
      ].join('\n'),
    ),
  ].join('\n');
}

function text(x: number, y: number, anchor: string, content: string): string {
  return `<text class="soft" x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
}

const round = (value: number): number => Math.round(10 * value) / 10;
