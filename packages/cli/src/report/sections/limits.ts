import type { PolicyResult, ReplayResult } from '../../replay/replay-result.js';
import { number, shareOf } from '../figures.js';
import { type Html, html } from '../html.js';
import { table } from '../table.js';

const COLUMNS = [
  { title: 'Limit' },
  { title: 'Tier' },
  { title: 'Refused', isNumber: true },
  { title: 'Share', isNumber: true },
  { title: 'Keys touched', isNumber: true },
  { title: 'In shadow', isNumber: true },
];

/** Returns what each policy and each of its limits refused. */
export function limits({ policies }: ReplayResult): Html {
  return html`<section><h2>By limit</h2>
${policies.map((policy, i) => policySection(policy, `policies.${i}`))}</section>`;
}

function policySection({ policy, requests, keys, senders, limits }: PolicyResult, path: string): Html {
  const seen = [requests.seen, `${path}.requests.seen`] as const;
  const refused = [requests.refused, `${path}.requests.refused`] as const;
  const keysSeen = [keys.seen, `${path}.keys.seen`] as const;
  const keysRefused = [keys.refused, `${path}.keys.refused`] as const;
  const rows = limits.map(({ limit, tier, refused, keysRefused, wouldRefuse }, i) => {
    const at = `${path}.limits.${i}`;
    return [
      html`${limit}`,
      html`${tier === '' ? 'all' : tier}`,
      number(refused, `${at}.refused`),
      shareOf([refused, `${at}.refused`], seen),
      number(keysRefused, `${at}.keysRefused`),
      number(wouldRefuse, `${at}.wouldRefuse`),
    ];
  });
  return html`<h3>${policy}</h3>
<p>${number(...refused)} of ${number(...seen)} requests refused (${shareOf(refused, seen)}${rangeOf(requests.refusedRange, path)}); ${number(...keysRefused)} of ${number(...keysSeen)} keys touched (${shareOf(keysRefused, keysSeen)}); ${number(senders, `${path}.senders`)} refused for their sender.</p>
${table(`Limits of ${policy}`, COLUMNS, rows)}
`;
}

function rangeOf(range: readonly [number, number] | undefined, path: string): Html | undefined {
  if (!range) return undefined;
  const [least, most] = range;
  return html`, from ${number(least, `${path}.requests.refusedRange.0`)} to ${number(most, `${path}.requests.refusedRange.1`)}`;
}
