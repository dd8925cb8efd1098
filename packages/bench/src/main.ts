import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compareWith } from './against.js';
import { machineName } from './machine.js';
import { MEASURES } from './measures/index.js';
import { keepSection } from './results/kept-results.js';
import { SCALES } from './scale.js';
import { SECTIONS } from './sections/index.js';
import { markdown, type Table } from './table.js';

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
const { scale: chosen, against, keep, ...unknown } = values;
const [scaleName, scale] = Object.entries(SCALES).find(([name]) => name === chosen) ?? [];
const known = against === undefined ? SECTIONS : MEASURES;
const isWrong =
  Object.keys(unknown).length > 0 ||
  positionals.some((name) => !known.has(name)) ||
  (keep && (against !== undefined || positionals.includes('overload')));
if (!scaleName || !scale || isWrong || typeof against === 'boolean') {
  console.error(USAGE);
  process.exit(2);
}
// `npm run proof -- overload` keeps the results of that section.
const named = [...known.keys()].filter((name) => positionals.length === 0 || positionals.includes(name));
const names = keep ? named.filter((name) => name !== 'overload') : named;

const date = new Date().toISOString();
console.log(`${date}, ${machineName()}`);
if (against === undefined) {
  for (const name of names) {
    const section = SECTIONS.get(name);
    if (!section) continue;
    console.log(`\n## ${section.title}\n`);
    const [loadAverage = Number.NaN] = loadavg();
    const startMs = performance.now();
    const tables: Table[] = [];
    for await (const table of section.run(scale)) {
      console.log(`${markdown(table)}\n`);
      tables.push(table);
    }
    const kept = { title: section.title, date, machine: machineName(), loadAverage, scale: scaleName, tables };
    if (keep) keepSection(name, kept, SECTIONS.keys());
    console.error(`${name}: ${Math.round((performance.now() - startMs) / 1_000)} s`);
  }
  // What a worker in this process has left open ends with it.
  process.exit();
}

try {
  const worse = await compareWith(against, names, scale, console.log);
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
