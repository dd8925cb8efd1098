/** How a line looks: its class in the style, and the path of the mark at each point, for those who cannot tell the colours. */
export interface LineLook {
  readonly style: string;
  readonly mark: string;
}

/** A point of the plane, in pixels. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Draws a line with a mark at each of its points. */
export function drawMarkedLine({ style, mark }: LineLook, places: readonly Place[]): string {
  return [
    `<path class="line ${style}" d="M${places.map(({ x, y }) => `${x} ${y}`).join('L')}"/>`,
    ...places.map(({ x, y }) => `<path class="mark ${style}" transform="translate(${x} ${y})" d="${mark}"/>`),
  ].join('\n');
}

/** Draws a short one, for a legend. */
export function drawSample({ style, mark }: LineLook): string {
  return `<path class="line ${style}" d="M0 0h26"/><path class="mark ${style}" transform="translate(13 0)" d="${mark}"/>`;
}
