import { figure, markdown } from '../table.js';
import { aimLines } from './aims.js';
import type { KeptResults, KeptSection } from './kept-results.js';

/** Writes kept results as a page. */
export function pageOf(results: KeptResults): string {
  return [
    '# Results of the benchmarks',
    '`npm run bench -- --keep` writes this page. [What was found, and how it is measured](../README.md).',
    ...aimsOf(results),
    ...Object.entries(results).map(sectionOf),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function aimsOf(results: KeptResults): string[] {
  const lines = aimLines(results);
  return lines.length > 0 ? ['## Aims and results', lines.join('\n')] : [];
}

function sectionOf([name, { title, date, machine, loadAverage, scale, tables }]: [string, KeptSection]): string {
  const command = `npm run bench -- --keep${scale === 'short' ? '' : ` --scale ${scale}`} ${name}`;
  const run = `\`${command}\`, ${date.slice(0, 10)}, ${machine}, load average before ${figure(loadAverage)}.`;
  return [`## ${title}`, run, ...tables.map(markdown)].join('\n\n');
}
