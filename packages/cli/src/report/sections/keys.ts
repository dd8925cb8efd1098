import type { ReplayResult } from '../../replay/replay-result.js';
import { number, shareOf } from '../figures.js';
import { type Html, html } from '../html.js';
import { table } from '../table.js';

const COLUMNS = [
  { title: 'Key' },
  { title: 'Policy' },
  { title: 'Refused', isNumber: true },
  { title: 'Requests', isNumber: true },
  { title: 'Share', isNumber: true },
];

/** Returns the keys that were refused most; nothing if none was. */
export function keys({ topKeys }: ReplayResult): Html {
  if (topKeys.length === 0) return html``;
  const rows = topKeys.map(({ key, policy, requests, refused }, i) => {
    const at = `topKeys.${i}`;
    return [
      html`<code>${key}</code>`,
      html`${policy}`,
      number(refused, `${at}.refused`),
      number(requests, `${at}.requests`),
      shareOf([refused, `${at}.refused`], [requests, `${at}.requests`]),
    ];
  });
  return html`<section><h2>Most refused keys</h2>
${table('Keys by refused requests', COLUMNS, rows)}
</section>`;
}
