// What a process that has just started computes until its hundredth answer, in millions of the processor's instructions, by Valgrind
// (`apt-get install valgrind`). They are the same from run to run to half of a percent, however busy the machine is, so that they show what a
// change of the code is worth. The programs are those of `npm run bench -- starts`. All threads of V8 count, as one.
//
//   npx tsc -b && node packages/bench/measure/start-instructions.mjs [rounds] ['In memory' Express Fastify ...]
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { interleaved } from '../dist/rounds.js';
import { spreadOf } from '../dist/spread.js';
import { installPublished } from '../dist/starts/installed.js';
import { programOf, STARTS } from '../dist/starts/programs.js';
import { markdown } from '../dist/table.js';

const run = promisify(execFile);
const MOST_BYTES = 100_000_000;

// A store over a network would give up: Valgrind makes a process fifty times slower.
const LOCAL = [...STARTS.keys()].filter((kind) => !kind.includes('Redis'));
const [rounds = '3', ...kinds] = process.argv.slice(2);

/** What V8 does for a program, by the names of its functions: each is counted with all that it calls. */
const PARTS = new Map([
  ['reads ES modules', 'node::loader::ModuleWrap::New('],
  ['reads CommonJS', 'v8::ScriptCompiler::CompileFunctionInternal('],
  ['compiles functions', 'v8::internal::Runtime_CompileLazy('],
  ['optimizes', 'v8::internal::Runtime_CompileOptimized('],
  ['collects garbage', 'v8::internal::Heap::CollectGarbage('],
]);

async function instructionsOf(program) {
  const file = `${program}.callgrind`;
  const counting = ['--tool=callgrind', '--smc-check=all-non-file', `--callgrind-out-file=${file}`];
  await run('valgrind', [...counting, process.execPath, '--single-threaded', program], { maxBuffer: MOST_BYTES });
  const telling = ['--inclusive=yes', '--threshold=100', file];
  const { stdout } = await run('callgrind_annotate', telling, { maxBuffer: MOST_BYTES });
  await rm(file);
  const lines = stdout.split('\n');
  const counted = (text) => {
    const counts = lines
      .filter((line) => line.includes(text))
      .map((line) => Number.parseInt(line.replaceAll(',', ''), 10));
    return Math.max(0, ...counts.filter((count) => !Number.isNaN(count))) / 1e6;
  };
  return [counted('PROGRAM TOTALS'), ...[...PARTS.values()].map(counted)];
}

const { folder, remove } = await installPublished();
try {
  for (const kind of kinds.length > 0 ? kinds : LOCAL) {
    const subjects = new Map();
    for (const [name, start] of STARTS.get(kind)) {
      const program = join(folder, `${`${kind} ${name}`.replace(/\W+/g, '-')}.mjs`);
      await writeFile(program, programOf(start, 0));
      subjects.set(name, () => instructionsOf(program));
    }
    const results = await interleaved(Number(rounds), subjects);
    const rows = [...results].map(([name, runs]) => {
      const [total, ...parts] = runs[0].map((_, i) => spreadOf(runs.map((counts) => counts[i])));
      return [name, total, ...parts.map(({ median }) => median)];
    });
    console.log(
      markdown({ caption: `${kind}: millions of instructions`, head: ['', 'in all', ...PARTS.keys()], rows }),
    );
  }
} finally {
  await remove();
}
