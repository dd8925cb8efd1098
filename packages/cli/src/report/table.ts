import { type Html, html } from './html.js';

/** A column of a table. Numbers stand at the right. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** Returns a table. The first cell of each row names the row. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Html[])[]): Html {
  const kind = ({ isNumber }: Column): string => (isNumber ? 'number' : 'text');
  const head = columns.map((column) => html`<th scope="col" class="${kind(column)}">${column.title}</th>`);
  const body = rows.map((cells) => {
    const [first, ...others] = cells.map((cell, i) => [cell, kind(columns[i] as Column)] as const);
    const rest = others.map(([cell, name]) => html`<td class="${name}">${cell}</td>`);
    return html`<tr><th scope="row" class="${first?.[1]}">${first?.[0]}</th>${rest}</tr>\n`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody></table></div>`;
}
