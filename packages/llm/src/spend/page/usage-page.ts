import { LIMIT_WORDS } from '../../answer/refusal-text.js';
import type { DimensionName } from '../../plan/dimension.js';
import type { BudgetSpend, LimitUse, Spend } from '../spend.js';
import { STYLE } from './style.js';

type Shown = BudgetSpend | LimitUse;

/** The page of one key: what is left of each budget and limit, without a script. Every text in it is escaped. */
export function usagePage({ at, budgets, limits }: Spend, title: string, timeZone: string): string {
  const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const time = (iso: string): string =>
    `<time datetime="${escaped(iso)}">${escaped(`${dates.format(new Date(iso))} ${timeZone}`)}</time>`;
  const sections = [
    ...budgets.map((budget) => budgetSection(budget, time)),
    ...limits.map((limit) => limitSection(limit, time)),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p class="soft">As of ${time(at)}</p>
${sections.length === 0 ? '<p>There is no limit.</p>' : sections.join('\n')}
</main>
</body>
</html>
`;
}

function budgetSection(budget: BudgetSpend, time: (iso: string) => string): string {
  const { limit, spent, held, dollars, resetAt } = budget;
  const rows = [
    ['Spent', `$${dollars.spent}`],
    ...(held > 0 ? [['Held for calls under way', `$${dollars.held}`]] : []),
  ];
  return section(
    budget,
    `$${dollars.left} left of $${dollars.limit}`,
    [limit, spent + held],
    rows,
    resetAt && time(resetAt),
  );
}

function limitSection(use: LimitUse, time: (iso: string) => string): string {
  const { limit, used, left, unit, period } = use;
  const [leftText, limitText, usedText] = [left, limit, used].map((count) => NUMBERS.format(count));
  // Slots come back when calls end, which no date says.
  const reset = period === 'held' || use.resetAt === null || used === 0 ? null : time(use.resetAt);
  return section(
    use,
    `${leftText} left of ${limitText}`,
    [limit, used],
    [[`Used (${unit.replaceAll('-', ' ')})`, usedText]],
    reset,
  );
}

const NUMBERS = new Intl.NumberFormat('en-US');

/** Marks what is nearly used up, as events and dashboards do. */
const NEAR = 0.8;

function section(
  shown: Shown,
  left: string,
  [limit, used]: readonly [limit: number, used: number],
  rows: readonly (readonly (string | undefined)[])[],
  reset: string | null,
): string {
  const heading = headingOf(shown);
  // A meter needs a maximum above 0.
  const most = Math.max(1, limit);
  const value = limit === 0 ? 1 : Math.min(used, limit);
  const lines = rows.map(([name, text]) => `<dt>${escaped(name ?? '')}</dt><dd>${escaped(text ?? '')}</dd>`);
  const fresh = reset === null ? '' : `<dt>Resets</dt><dd>${reset}</dd>`;
  return `<section>
<h2>${escaped(heading)}</h2>
<p class="left">${escaped(left)}</p>
<meter min="0" max="${most}" low="${most * NEAR}" high="${most - 0.5}" optimum="0" value="${value}" aria-label="${escaped(heading)}"></meter>
<dl>${lines.join('')}${fresh}</dl>
</section>`;
}

/** `The budget of the day`, `Tokens per minute (TPM) of gpt-5.6 of org`. */
function headingOf({ name, model, scope }: Shown): string {
  const words = LIMIT_WORDS[name.slice(name.lastIndexOf('-') + 1) as DimensionName];
  const whose = [model, scope].flatMap((owner) => (owner === undefined ? [] : [` of ${owner}`]));
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${whose.join('')}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}
