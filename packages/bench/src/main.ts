import { parseArgs } from 'node:util';
import { compareWith } from './against.js';
import { machineName } from './machine.js';
import { MEASURES } from './measures/index.js';
import { runSections } from './run-sections.js';
import { SCALES } from './scale.js';
import { SECTIONS } from './sections/index.js';

const USAGE = `Usage: npm run bench -- [--scale ${Object.keys(SCALES).join('|')}] [--keep] [${[...SECTIONS.keys()].join('|')} ...]
       npm run bench -- --against COMMIT [--scale NAME] [${[...MEASURES.keys()].join('|')} ...]`;

// Not strict, since that would answer --help with a stack.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    scale: { type: 'string', default: 'short' },
    against: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const { scale: chosen, against, keep: isToKeep, ...unknown } = values;
const scale = (Object.keys(SCALES) as (keyof typeof SCALES)[]).find((name) => name === chosen);
const known = [...(against === undefined ? SECTIONS : MEASURES).keys()];
const isWrong =
  Object.keys(unknown).length > 0 ||
  positionals.some((name) => !known.includes(name)) ||
  (isToKeep && (against !== undefined || positionals.includes('overload')));
if (!scale || isWrong || typeof against === 'boolean') {
  console.error(USAGE);
  process.exit(2);
}
const named = known.filter((name) => positionals.length === 0 || positionals.includes(name));

const date = new Date().toISOString();
console.log(`${date}, ${machineName()}`);
if (against === undefined) {
  // `npm run proof -- overload` keeps the results of that section.
  const names = isToKeep ? named.filter((name) => name !== 'overload') : named;
  await runSections(names, { scale, isToKeep: isToKeep === true, date });
  // What a worker in this process has left open ends with it.
  process.exit();
}

try {
  const worse = await compareWith(against, named, SCALES[scale], console.log);
  if (worse.length === 0) {
    console.log('Nothing got worse by more than its spread.');
  } else {
    console.error(`Worse by more than its spread:\n${worse.map((name) => `- ${name}`).join('\n')}`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
