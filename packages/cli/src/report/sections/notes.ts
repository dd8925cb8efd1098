import type { ReplayResult } from '../../replay/replay-result.js';
import { number } from '../figures.js';
import { type Html, html } from '../html.js';

/** Returns what was read, and what these numbers do not tell. */
export function notes({ lines, logs, logFormat, resolutionMs, unmatched, notes: own }: ReplayResult): Html {
  const { read, unparsed, firstUnparsed, notReached, outside, late, misplaced } = lines;
  const first = firstUnparsed.map(
    ({ log, line, text }, i) =>
      html`<li><code>${log}</code>, line ${number(line, `lines.firstUnparsed.${i}.line`)}: <code>${text}</code></li>\n`,
  );
  return html`<section><h2>What was read</h2>
<ul>
<li>${number(read, 'lines.read')} lines of ${logs.map((log, i) => html`${i === 0 ? '' : ', '}<code>${log}</code>`)}, in the format <code>${logFormat}</code>.</li>
<li>Times are exact to ${number(resolutionMs, 'resolutionMs')} ms.</li>
<li>${number(unmatched, 'unmatched')} requests had no policy, and passed.</li>
<li>${number(notReached, 'lines.notReached')} lines told of no request that reached the application; ${number(outside, 'lines.outside')} were out of the time that was asked for; ${number(late, 'lines.late')} were counted later than they came.</li>
<li>${number(misplaced, 'lines.misplaced')} lines were written more than a minute before one above them, and were not counted.</li>
<li>${number(unparsed, 'lines.unparsed')} lines could not be read.${first.length > 0 ? html` The first:<ul>${first}</ul>` : undefined}</li>
${own.map((note) => html`<li>${note}</li>\n`)}</ul>
</section>`;
}
