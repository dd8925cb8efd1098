import { markdown } from '../table.js';
import { aimsOf } from './aims.js';
import { type Results, seriesOf } from './results.js';
import { tablesOf } from './tables.js';

/** Writes the results of a run as a page. */
export function pageOf(results: Results): string {
  const aims = aimsOf(results).map(({ text, isReached }) => `- ${isReached ? 'reached' : '**missed**'}: ${text}`);
  return [
    '# Overload: results',
    `\`npm run proof -- overload\`, ${results.date.slice(0, 10)}, ${results.machine}. The program writes this page. [How it measures](../README.md#overload).`,
    '',
    '## What should hold for shedLoad',
    `The figure is that of the framework and of the load that came nearest to missing it: the median of all runs, with the least and the most. ${runsOf(results)}`,
    aims.join('\n'),
    '',
    '## All rows',
    'To save time, the peers are measured on Fastify alone, in one run, at fewer loads and without the quota. The ideal is what the processor has left after as many refusals with the own 503 of the framework. Where one refuses more cheaply than that, it keeps more than all of it. `downstream` is not short of the processor, so more than the ideal is possible, too.',
    `${[...tablesOf(results)].map(markdown).join('\n\n')}\n`,
  ]
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n');
}

/** A campaign that was stopped has fewer runs of some servers than of others. */
function runsOf(results: Results): string {
  const shedLoad = seriesOf(results).filter(({ subject }) => subject.protection === 'shedLoad');
  const counts = shedLoad.map(({ runs }) => runs.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `Each server with shedLoad has ${least === most ? least : `${least} to ${most}`} of them.`;
}
