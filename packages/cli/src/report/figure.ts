import { type Html, html } from './html.js';

/** A colour of a chart, and what it means. */
interface Legend {
  readonly name: 'requests' | 'refused' | 'against';
  readonly text: string;
}

/** Returns a chart with its legend, and all its numbers as a table. */
export function figure(chart: Html, caption: string, legend: readonly Legend[], table: Html): Html {
  const entries = legend.map(({ name, text }) => html`<span class="entry"><i class="${name}"></i>${text}</span> `);
  return html`<figure>
<figcaption>${caption} <span class="legend">${entries}</span></figcaption>
${chart}
<details><summary>The numbers of this chart</summary>
${table}
</details>
</figure>`;
}
