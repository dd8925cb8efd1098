import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { SCALES } from './scale.js';
import { SECTIONS } from './sections/index.js';
import { markdown } from './table.js';

const USAGE = `Usage: npm run bench -- [--scale tiny|short|full] [${[...SECTIONS.keys()].join('|')} ...]`;

// Not strict, since that would answer --help with a stack.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { scale: { type: 'string', default: 'short' } },
});
const { scale: chosen, ...unknown } = values;
const scale = Object.entries(SCALES).find(([name]) => name === chosen)?.[1];
if (!scale || Object.keys(unknown).length > 0 || positionals.some((name) => !SECTIONS.has(name))) {
  console.error(USAGE);
  process.exit(2);
}

console.log(`${new Date().toISOString()}, Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
for (const [name, section] of SECTIONS) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`\n## ${section.title}\n`);
  for await (const table of section.run(scale)) console.log(`${markdown(table)}\n`);
}
// What a worker in this process has left open ends with it.
process.exit();
