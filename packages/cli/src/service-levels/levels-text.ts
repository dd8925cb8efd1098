import { table } from '../terminal/table.js';
import { type Month, monthTitle } from './month.js';
import type { BrokenPromise } from './promises.js';
import type { ServiceLevels } from './service-levels.js';

/** Less of a month than this is worth a word. A restart of Prometheus is not. */
const NEARLY_ALL = 0.995;

const HEAD = ['job', 'policy', ' requests', ' limited', ' failed open', ' failed closed'] as const;

const PART_NAMES = { limited: 'limited', failedOpen: 'failed open', failedClosed: 'failed closed' } as const;

/** Returns the report as a table for a terminal. */
export function levelsText(levels: ServiceLevels, month: Month, broken: readonly BrokenPromise[]): string {
  return [
    title(levels, month),
    '',
    ...table(HEAD, rowsOf(levels)),
    ...paragraph(notesOf(levels)),
    ...paragraph(broken.map(brokenText)),
  ].join('\n');
}

/** Returns the report as Markdown. */
export function levelsMarkdown(levels: ServiceLevels, month: Month, broken: readonly BrokenPromise[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `# Service levels: ${title(levels, month)}`,
    '',
    line(HEAD.map((name) => name.trim())),
    line(HEAD.map((name) => (name.startsWith(' ') ? '---:' : '---'))),
    ...rowsOf(levels).map(([job = '', policy = '', ...figures]) =>
      line([inMarkdown(job), inMarkdown(policy), ...figures]),
    ),
    ...paragraph(notesOf(levels)),
    ...paragraph(broken.map((one) => `- ${inMarkdown(brokenText(one))}`)),
  ].join('\n');
}

function title({ to }: ServiceLevels, month: Month): string {
  const isOver = to === `${to.slice(0, 8)}01T00:00:00.000Z`;
  return `${monthTitle(month)}${isOver ? '' : ` until ${to.slice(0, 16).replace('T', ' ')}`} (UTC)`;
}

/** Each row begins with the job and the policy. */
function rowsOf({ policies, total }: ServiceLevels): readonly (readonly string[])[] {
  const rows = policies.map(({ job, policy, ...level }) => [job, policy, ...cellsOf(level)]);
  return policies.length > 1 ? [...rows, ['all', '', ...cellsOf(total)]] : rows;
}

function cellsOf({ requests, limited, failedOpen, failedClosed }: ServiceLevels['total']): readonly string[] {
  return [requests.toLocaleString('en-US'), ...[limited, failedOpen, failedClosed].map(percent)];
}

function notesOf({ coverage }: ServiceLevels): readonly string[] {
  return coverage < NEARLY_ALL ? [`Prometheus has numbers for ${percent(coverage)} of this time only.`] : [];
}

function brokenText({ job, policy, part, share, most }: BrokenPromise): string {
  return `${[job, policy].filter((name) => name !== '').join(' ')}: ${percent(share)} ${PART_NAMES[part]}, and ${percent(most)} at most is promised`;
}

/** Returns a share with at most three digits after the point: what failed is little. */
function percent(share: number): string {
  const percents = share * 100;
  if (percents > 0 && percents < 0.001) return '< 0.001 %';
  return `${Number(percents.toFixed(percents < 1 ? 3 : 2))} %`;
}

function paragraph(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Names of jobs and policies are text of others. */
function inMarkdown(text: string): string {
  return text.replaceAll(/[\\|`*_<>[\]]/g, '\\$&');
}
