import type { ReplayResult, SweepResult } from '../../replay/replay-result.js';
import { count } from '../../terminal/counted.js';
import { draw } from '../charts/draw.js';
import { sweepChart } from '../charts/sweep-chart.js';
import { figure } from '../figure.js';
import { number, shareOf } from '../figures.js';
import { type Html, html } from '../html.js';
import { table } from '../table.js';

const COLUMNS = [
  { title: 'Limit', isNumber: true },
  { title: 'Requests refused', isNumber: true },
  { title: 'Share', isNumber: true },
  { title: 'Keys touched', isNumber: true },
  { title: 'Share', isNumber: true },
];

/** Returns what other numbers of a limit would refuse; nothing if none were tried. */
export async function sweeps({ sweeps: all }: ReplayResult): Promise<Html> {
  if (all.length === 0) return html``;
  const shown = await Promise.all(all.map((sweep, i) => sweepSection(sweep, `sweeps.${i}`)));
  return html`<section><h2>Other numbers</h2>
${shown}</section>`;
}

async function sweepSection(sweep: SweepResult, path: string): Promise<Html> {
  const { policy, limit, tier, current, requests, keys, points, knee } = sweep;
  const name = `${limit} of ${policy}${tier === '' ? '' : `, tier ${tier}`}`;
  const found =
    knee === undefined
      ? 'None of them touches fewer than 0.1 % of keys.'
      : `The smallest that touches fewer than 0.1 % of keys is ${count(knee)}.`;
  const chart = await draw(
    sweepChart(sweep),
    `Share of keys and of requests refused by other numbers of the limit ${name}. ${found}`,
  );
  const rows = points.map(({ quota, requestsRefused, keysRefused }, i) => {
    const at = `${path}.points.${i}`;
    return [
      number(quota, `${at}.quota`),
      number(requestsRefused, `${at}.requestsRefused`),
      shareOf([requestsRefused, `${at}.requestsRefused`], [requests, `${path}.requests`]),
      number(keysRefused, `${at}.keysRefused`),
      shareOf([keysRefused, `${at}.keysRefused`], [keys, `${path}.keys`]),
    ];
  });
  const legend = [
    { name: 'refused', text: 'keys touched' },
    { name: 'requests', text: 'requests refused' },
  ] as const;
  const smallest =
    knee === undefined
      ? html`None of these numbers touches fewer than 0.1 % of keys.`
      : html`The smallest number that touches fewer than 0.1 % of keys (the knee) is <strong>${number(knee, `${path}.knee`)}</strong>.`;
  return html`<h3>${name}</h3>
<p>In the file: ${number(current, `${path}.current`)}. ${smallest} Shares are of ${number(requests, `${path}.requests`)} requests and ${number(keys, `${path}.keys`)} keys.</p>
${figure(chart, '', legend, table(`Numbers of ${name}`, COLUMNS, rows))}
`;
}
