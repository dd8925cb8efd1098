import { minuteText } from '../replay/numbers.js';
import type { ReplayResult } from '../replay/replay-result.js';
import { time } from './figures.js';
import { Html, html } from './html.js';
import { keys } from './sections/keys.js';
import { limits } from './sections/limits.js';
import { notes } from './sections/notes.js';
import { summary, verdict } from './sections/summary.js';
import { sweeps } from './sections/sweeps.js';
import { timeline } from './sections/timeline.js';
import { STYLE } from './style.js';

/** The page needs nothing but itself, and a hostile key in it could not load anything either. */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/**
 * Makes a page of a result that needs no network and no script: light or dark as the reader's system, narrow on a phone, and
 * fit for paper. It has the same numbers as the JSON: each says in `data-of` which one it is.
 */
export async function renderReport(result: ReplayResult): Promise<string> {
  const { policyFile, against, fromMs, toMs } = result;
  const title = `What ${policyFile} would refuse`;
  const [overTime, otherNumbers] = await Promise.all([timeline(result), sweeps(result)]);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}, ${minuteText(fromMs)}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="soft">Requests from ${time(fromMs, 'fromMs')} to ${time(toMs, 'toMs')} UTC, with every limit enforced for everybody${against === undefined ? '' : `, compared with ${against}`}.</p>
<p class="lead">${verdict(result)}</p>
</header>
<main>
${summary(result)}
${overTime}
${limits(result)}
${otherNumbers}
${keys(result)}
${notes(result)}
</main>
</body>
</html>
`;
  return page.toString();
}
