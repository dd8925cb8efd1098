import { escaped } from '../escaped.js';

/** The width of every diagram, in pixels, as that of the other pictures. */
export const WIDTH = 716;

/** It follows the scheme of the reader, as the other pictures do. */
const STYLE = `
.card{fill:#fff;stroke:#d0d7de}text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.code{font:12px ui-monospace,monospace}
.over{paint-order:stroke;stroke:#fff;stroke-width:5px}.soft{fill:#59636e}.line{stroke:#818b98;fill:none}.dash{stroke:#818b98;fill:none;stroke-dasharray:4 3}.head{fill:#818b98}
.box{fill:#f6f8fa;stroke:#d0d7de}.band{fill:#818b98;fill-opacity:.2}.now{fill:#0969da}.late{fill:#bf8700}.beyond{fill:#8250df}.refused{fill:#cf222e}
@media(prefers-color-scheme:dark){.card{fill:#0d1117;stroke:#3d444d}text{fill:#f0f6fc}.over{stroke:#0d1117}.soft{fill:#9198a1}.box{fill:#151b23;stroke:#3d444d}
.now{fill:#4493f8}.late{fill:#d29922}.beyond{fill:#ab7df8}.refused{fill:#f85149}}`;

interface Sheet {
  readonly title: string;
  /** What the picture says, for those who do not see it. */
  readonly description: string;
  readonly height: number;
  readonly body: readonly string[];
}

/** Returns a picture on a background of its own, with its title on it. */
export function sheet({ title, description, height, body }: Sheet): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(description)}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="card" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    text(16, 26, title, 'title'),
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

type Anchor = 'start' | 'middle' | 'end';

export function text(x: number, y: number, content: string, style = '', anchor: Anchor = 'start'): string {
  const attributes = `${style && ` class="${style}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}`;
  return `<text${attributes} x="${x}" y="${y}">${escaped(content)}</text>`;
}

export function box(x: number, y: number, width: number, height: number, style = 'box'): string {
  return `<rect class="${style}" x="${x}" y="${y}" width="${width}" height="${height}"${style === 'box' ? ' rx="4"' : ''}/>`;
}

/** An arrow between two points of one row or one column. */
export function arrow(fromX: number, fromY: number, toX: number, toY: number, style = 'line'): string {
  const [dx, dy] = [Math.sign(toX - fromX), Math.sign(toY - fromY)];
  const head = `M${toX} ${toY}l${-8 * dx + 4 * dy} ${-8 * dy + 4 * dx}l${-8 * dy} ${-8 * dx}z`;
  return `<path class="${style}" d="M${fromX} ${fromY}L${toX} ${toY}"/><path class="head" d="${head}"/>`;
}

/** The legend of colours: one line of squares with their meanings. */
export function legend(y: number, meanings: Readonly<Record<string, string>>): string {
  let x = 16;
  return Object.entries(meanings)
    .map(([style, label]) => {
      const drawn = `${box(x, y, 11, 11, style)}${text(x + 17, y + 10, label)}`;
      x += 44 + widthOf(label);
      return drawn;
    })
    .join('\n');
}

/** Breaks text into lines of a width, in pixels. */
export function wrapped(content: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of content.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** A width that text does not exceed in the usual fonts. No machine is asked for its fonts. */
export const widthOf = (content: string): number => Math.ceil(6.8 * content.length);
