import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawMutants } from './draw-mutants.js';
import { chosenStages, STAGE_NAMES } from './kills/chosen-stages.js';
import { type Verdict, VerdictLog } from './kills/verdict.js';
import type { Mutant } from './mutant.js';
import { LIST_FILE, listOf, located, type MutantList, readList, withVerdicts, writeList } from './mutant-list.js';
import { lineOf, reportOf } from './report.js';
import { runMutants } from './run-mutants.js';
import { ScratchCheckout } from './scratch/scratch-checkout.js';
import { checkoutRoot } from './sources.js';

const HELP = `Small changes of the code, and what finds them out.

  list    prints mutants drawn from the code
    --seed <number>     default: 1
    --count <number>    default: 200
    --write             keeps them in ${LIST_FILE}
  run     tries the mutants of that list, and writes the verdicts into it. Can be stopped: the next run continues
    --workers <number>  how many at a time, default: 1
    --first <number>    only so many, from the beginning of the list
    --only <ids>        only these, with commas between them
    --stages <names>    only these, with commas between them: ${STAGE_NAMES.join(', ')}
    --quick <command>   a simulation of a few seconds: the first stage
    --long <command>    a long simulation: the stage after the suites
    --again             those that survived meet all stages again
    --fresh             forgets all earlier verdicts
    --folder <path>     where the copies of the checkout lie, default: in the folder for temporary files
  report  tells the verdicts of the list

The commands of --quick and --long run in a copy of the checkout, and have to play the code of the current folder. They must not
check types: a compiler would refuse many changes that nothing would find out when they run.`;

/**
 * The command `npm run simulate -- --mutants`.
 *
 * @param args - what follows that word
 * @returns the exit code: 1 if the list has survivors without a reason
 */
export async function mutantsCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = optionsOf(args);
  const root = checkoutRoot();
  switch (values.help ? undefined : positionals[0]) {
    case 'list':
      return list(root, values);
    case 'run':
      return run(root, values);
    case 'report':
      return report(wantedList(root));
    default:
      print(HELP);
      return positionals.length === 0 ? 0 : 2;
  }
}

const optionsOf = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '200' },
      write: { type: 'boolean', default: false },
      workers: { type: 'string', default: '1' },
      first: { type: 'string' },
      only: { type: 'string' },
      stages: { type: 'string' },
      quick: { type: 'string' },
      long: { type: 'string' },
      again: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      folder: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });

type Options = ReturnType<typeof optionsOf>['values'];

function list(root: string, { seed, count, write }: Options): number {
  const drawn = numberOf(seed, 'seed');
  const mutants = drawMutants({ seed: drawn, count: numberOf(count, 'count'), root });
  const path = join(root, LIST_FILE);
  const listed = listOf(drawn, mutants, readList(path));
  for (const mutant of listed.mutants) print(lineOf(mutant));
  if (write) writeList(path, listed);
  return 0;
}

async function run(root: string, options: Options): Promise<number> {
  const folder = options.folder ?? join(tmpdir(), `sluice-mutants-${shortHash(root)}`);
  mkdirSync(folder, { recursive: true });
  const [first, ...others] = Array.from({ length: numberOf(options.workers, 'workers') }, (_, i) =>
    ScratchCheckout.open(root, join(folder, `${i + 1}`)),
  );
  if (!first) throw new Error('--workers has to be at least 1');
  const verdicts = join(folder, 'verdicts.jsonl');
  if (options.fresh) rmSync(verdicts, { force: true });
  const log = new VerdictLog(verdicts);
  const drawn = wantedList(root);
  const { found, gone } = located(drawn, first.root);
  for (const { id, file } of gone) print(`${id} of ${file} is not in the code any more. To draw anew: list --write`);
  const tried = new Map<string, { mutant: Mutant; verdict: Verdict }>();
  const stop = stopSignal();
  try {
    await runMutants({
      mutants: chosenOf(found, options),
      stages: chosenStages(first, { ...options, folder, print }),
      checkouts: [first, ...others],
      log,
      again: options.again,
      signal: stop,
      onVerdict: (mutant, verdict) => print(progressOf(mutant, verdict)),
    });
  } finally {
    for (const mutant of found) {
      const verdict = log.find(mutant.id, first.hashOf(mutant.file));
      if (verdict) tried.set(mutant.id, { mutant, verdict });
    }
    // The list on the disk may have got reasons meanwhile.
    writeList(join(root, LIST_FILE), withVerdicts(wantedList(root), tried, commitOf(root)));
  }
  if (!stop.aborted) return report(wantedList(root));
  print('Stopped. The same command continues.');
  return 130;
}

/** Undefined outside of a repository. */
function commitOf(root: string): string | undefined {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

function wantedList(root: string): MutantList {
  const found = readList(join(root, LIST_FILE));
  if (!found) throw new Error(`There is no ${LIST_FILE} yet. To draw one: list --write`);
  return found;
}

function chosenOf(mutants: readonly Mutant[], { only, first }: Options): readonly Mutant[] {
  const ids = only?.split(',');
  const wanted = ids ? mutants.filter(({ id }) => ids.includes(id)) : mutants;
  return first === undefined ? wanted : wanted.slice(0, numberOf(first, 'first'));
}

/** Aborted when a person or the machine asks this process to end. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

function progressOf(mutant: Mutant, { killed, passed }: Verdict): string {
  const ms = passed.reduce((sum, stage) => sum + stage.ms, killed?.ms ?? 0);
  const what = killed ? `killed by ${killed.stage}${killed.how === 'late' ? ' (time limit)' : ''}` : 'survived';
  return `${what} after ${(ms / 1000).toFixed(1)} s: ${lineOf(mutant)}${killed?.by ? `\n    ${killed.by}` : ''}`;
}

function report(found: MutantList): number {
  for (const line of reportOf(found)) print(line);
  return found.mutants.some(({ verdict, reason }) => verdict === 'survived' && reason === undefined) ? 1 : 0;
}

function numberOf(text: string, option: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${option} has to be a whole number, not "${text}"`);
  return Number(text);
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
