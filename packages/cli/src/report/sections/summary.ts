import { share } from '../../replay/numbers.js';
import type { ReplayResult } from '../../replay/replay-result.js';
import { count, counted } from '../../terminal/counted.js';
import { number, shareOf, time } from '../figures.js';
import { type Html, html } from '../html.js';

/** Returns the numbers that people read first. */
export function summary(result: ReplayResult): Html {
  const { requests, clients, refusedAnswers, worstMinute, changes, against } = result;
  const seen = [requests.seen, 'requests.seen'] as const;
  const refused = [requests.refused, 'requests.refused'] as const;
  const tiles = [
    tile('Requests refused', number(...refused), html`${shareOf(refused, seen)} of ${number(...seen)}${range(result)}`),
    tile(
      'Clients touched',
      number(clients.refused, 'clients.refused'),
      html`${shareOf([clients.refused, 'clients.refused'], [clients.seen, 'clients.seen'])} of ${number(clients.seen, 'clients.seen')}`,
    ),
    tile(
      'Refused, but answered well',
      number(refusedAnswers.well, 'refusedAnswers.well'),
      html`${number(refusedAnswers.withError, 'refusedAnswers.withError')} others had an error`,
    ),
    tile(
      'Worst minute',
      number(worstMinute.refused, 'worstMinute.refused'),
      html`of ${number(worstMinute.requests, 'worstMinute.requests')}, ${time(worstMinute.atMs, 'worstMinute.atMs')}`,
    ),
  ];
  if (changes)
    tiles.push(
      tile(
        `Newly refused`,
        number(changes.newlyRefused, 'changes.newlyRefused'),
        html`${number(changes.newlyAllowed, 'changes.newlyAllowed')} newly allowed, against ${against}`,
      ),
    );
  return html`<dl class="tiles">${tiles}</dl>`;
}

function tile(title: string, value: Html, detail: Html): Html {
  return html`<div><dt>${title}</dt><dd><strong>${value}</strong> <small>${detail}</small></dd></div>\n`;
}

/** Where the log has whole seconds, the number has two bounds. */
function range({ requests }: ReplayResult): Html | undefined {
  const [least, most] = requests.refusedRange ?? [];
  if (least === undefined || most === undefined) return undefined;
  return html`; at least ${number(least, 'requests.refusedRange.0')}, at most ${number(most, 'requests.refusedRange.1')}, because the log has whole seconds`;
}

/** Says what the page tells, in a sentence. */
export function verdict({ requests, clients, refusedAnswers }: ReplayResult): string {
  if (requests.refused === 0) return `No request of ${counted(requests.seen, 'request')} would be refused.`;
  return `${count(requests.refused)} of ${counted(requests.seen, 'request')} would be refused (${share(requests.refused, requests.seen)}), of ${counted(clients.refused, 'client')}. ${count(refusedAnswers.well)} of them had been answered well.`;
}
