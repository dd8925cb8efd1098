import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { compareWith } from './against.js';
import { MEASURES } from './measures.js';
import { SCALES } from './scale.js';
import { SECTIONS } from './sections/index.js';
import { markdown } from './table.js';

const USAGE = `Usage: npm run bench -- [--scale tiny|short|full] [${[...SECTIONS.keys()].join('|')} ...]
       npm run bench -- --against COMMIT [--scale short|full] [${[...MEASURES.keys()].join('|')} ...]`;

// Not strict, since that would answer --help with a stack.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { scale: { type: 'string', default: 'short' }, against: { type: 'string' } },
});
const { scale: chosen, against, ...unknown } = values;
const scale = Object.entries(SCALES).find(([name]) => name === chosen)?.[1];
const known = against === undefined ? SECTIONS : MEASURES;
const isWrong = Object.keys(unknown).length > 0 || positionals.some((name) => !known.has(name));
if (!scale || isWrong || typeof against === 'boolean') {
  console.error(USAGE);
  process.exit(2);
}
const names = [...known.keys()].filter((name) => positionals.length === 0 || positionals.includes(name));

console.log(`${new Date().toISOString()}, Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
if (against === undefined) {
  for (const name of names) {
    const section = SECTIONS.get(name);
    if (!section) continue;
    console.log(`\n## ${section.title}\n`);
    for await (const table of section.run(scale)) console.log(`${markdown(table)}\n`);
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
