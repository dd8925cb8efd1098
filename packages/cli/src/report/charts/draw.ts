import type { TopLevelSpec } from 'vega-lite';
import { Html, html } from '../html.js';

/** Everything of a chart but its width. */
export type Chart = (width: number) => TopLevelSpec;

/** The widths of the plots in pixels: for a screen and for a phone. Shrinking one to the other would make its text too small. */
const WIDTHS = { wide: 800, narrow: 285 } as const;

/**
 * The names of colours. They are variables of the page, so that a chart follows the scheme of the reader.
 */
export const COLORS = {
  ink: 'var(--soft)',
  line: 'var(--line)',
  requests: 'var(--requests)',
  refused: 'var(--refused)',
  against: 'var(--against)',
  mark: 'var(--mark)',
} as const;

const FONT = 'system-ui, sans-serif';

const THEME: TopLevelSpec['config'] = {
  background: 'transparent',
  aria: false,
  font: FONT,
  view: { stroke: null },
  axis: {
    labelColor: COLORS.ink,
    titleColor: COLORS.ink,
    domainColor: COLORS.line,
    tickColor: COLORS.line,
    gridColor: COLORS.line,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
  },
};

/**
 * Draws a chart in two widths; a style of the page shows one of them.
 *
 * @param title - what the picture shows, for people who do not see it
 */
export async function draw(chart: Chart, title: string): Promise<Html> {
  // These weigh as much as the rest of the program, and only a report needs them.
  const [{ parse, View }, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  const drawn = await Promise.all(
    Object.entries(WIDTHS).map(async ([name, width]) => {
      const spec = { ...chart(width), config: THEME } as TopLevelSpec;
      const view = new View(parse(compile(spec).spec), { renderer: 'none' });
      try {
        return titled(await view.toSVG(), name, title);
      } finally {
        view.finalize();
      }
    }),
  );
  return new Html(drawn.join('\n'));
}

/** Places in a picture, which are exact enough with two digits. Computers differ in the last of all digits. */
const PLACES = / (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"/g;

const rounded = (attribute: string): string =>
  attribute.replaceAll(/\d+\.\d{3,}(?:e-\d+)?/g, (digits) => String(Number(Number(digits).toFixed(2))));

/** Gives the picture a name, and drops what only a program that draws again would need. */
function titled(svg: string, name: string, title: string): string {
  const start = html`<svg role="img" aria-label="${title}" `.toString();
  return svg
    .replaceAll(PLACES, rounded)
    .replace('<svg ', () => start)
    .replace('class="marks"', `class="chart ${name}"`)
    .replaceAll(
      / xmlns(?::xlink)?="[^"]*"| aria-roledescription="[^"]*"| role="graphics-[^"]*"| aria-hidden="true"/g,
      '',
    )
    .replaceAll(/ class="(?:mark-|role-|background|foreground)[^"]*"/g, '');
}
