import { markdown } from '../table.js';
import { aimsOf } from './aims.js';
import type { Results } from './results.js';
import { tablesOf } from './tables.js';

/** Writes the results of a run as a page. */
export function pageOf(results: Results): string {
  const aims = aimsOf(results).map(({ text, isReached }) => `- ${isReached ? 'reached' : '**missed**'}: ${text}`);
  return [
    '# Overload: results',
    `\`npm run proof -- overload\`, ${results.date.slice(0, 10)}, ${results.machine}. The program writes this page. [How it measures](../README.md#overload).`,
    '',
    '## What should hold for shedLoad at three times the load',
    'The figure is that of the framework which came nearest to missing it.',
    aims.join('\n'),
    '',
    '## All rows',
    `${[...tablesOf(results)].map(markdown).join('\n\n')}\n`,
  ]
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n');
}
