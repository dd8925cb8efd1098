import { minuteText, spanText } from '../../replay/numbers.js';
import type { ReplayResult } from '../../replay/replay-result.js';
import { draw } from '../charts/draw.js';
import { timelineChart } from '../charts/timeline-chart.js';
import { figure } from '../figure.js';
import { number, time } from '../figures.js';
import { type Html, html } from '../html.js';
import { table } from '../table.js';

/** Returns the chart over time; nothing for a log that is too short for one. */
export async function timeline(result: ReplayResult): Promise<Html> {
  const { timeline: points, timelineStepMs, fromMs, toMs, against, worstMinute } = result;
  if (points.length < 2) return html``;
  const each = spanText(timelineStepMs);
  const title = `Requests and refused requests from ${minuteText(fromMs)} to ${minuteText(toMs)} UTC, each ${each}. The worst minute begins at ${minuteText(worstMinute.atMs)}.`;
  const chart = await draw(timelineChart(result), title);
  const columns = [
    { title: 'From (UTC)' },
    { title: 'Requests', isNumber: true },
    { title: 'Refused', isNumber: true },
    ...(against === undefined ? [] : [{ title: `Refused by ${against}`, isNumber: true }]),
  ];
  const rows = points.map(({ atMs, requests, refused, refusedAgainst }, i) => [
    time(atMs, `timeline.${i}.atMs`),
    number(requests, `timeline.${i}.requests`),
    number(refused, `timeline.${i}.refused`),
    ...(against === undefined ? [] : [number(refusedAgainst ?? 0, `timeline.${i}.refusedAgainst`)]),
  ]);
  const legend = [
    { name: 'requests', text: 'requests' },
    { name: 'refused', text: 'refused' },
    ...(against === undefined ? [] : [{ name: 'against', text: `refused by ${against}` } as const]),
  ] as const;
  return html`<section><h2>Over time</h2>
${figure(chart, `Each ${each}, in UTC.`, legend, table(`Requests, each ${each}`, columns, rows))}
</section>`;
}
