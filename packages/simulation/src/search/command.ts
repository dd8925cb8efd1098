import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tape } from '../tape/tape.js';
import { avoiding } from './avoid.js';
import { type Checkout, checkOut } from './base-checkout.js';
import { runCampaign } from './campaign.js';
import { type CommandOptions, commandOptions, HELP } from './command-options.js';
import { type CodeFolders, playOf, soloCrew, WorkerCrew } from './crew.js';
import { explain, failureOf, type Play, played } from './failure.js';
import { generateTape } from './generate.js';
import {
  FAILED_TAPES,
  KNOWN_DEFECTS,
  type KnownDefect,
  knownDefectOf,
  readFailedTapes,
  readKnownDefects,
} from './known-defects.js';
import { readTotals, writeTotals } from './totals.js';

/** The repository of this package. */
const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

/** What ends a piece of a campaign. A second one ends the process at once. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Without a limit, a campaign takes a minute. */
const DEFAULT_SECONDS = 60;

/**
 * Does what the command `npm run simulate` is asked to do. Returns its exit code.
 *
 * @param say - called with each line that it prints
 */
export async function simulateCommand(args: readonly string[], say: (line: string) => void): Promise<number> {
  let options: CommandOptions;
  try {
    options = commandOptions(args);
  } catch (error) {
    say(`${error instanceof Error ? error.message : error}\nSee --help.`);
    return 2;
  }
  if (options.help) {
    say(HELP);
    return 0;
  }
  if (options.list) return list(say);
  const checkouts: Checkout[] = [];
  const folderOf = (commit: string): string => {
    const checkout = checkOut(REPOSITORY, commit);
    checkouts.push(checkout);
    say(`The code of ${checkout.title}`);
    return checkout.folder;
  };
  try {
    const { root = REPOSITORY, base, beside } = options;
    const roots = [
      base === undefined ? resolve(root) : folderOf(base),
      ...(beside === undefined ? [] : [folderOf(beside)]),
    ];
    return await simulate(options, { roots, modules: join(REPOSITORY, 'node_modules') }, say);
  } finally {
    for (const checkout of checkouts) checkout.remove();
  }
}

/** The defects of the code that is played. That of a commit or another checkout may have those that are mended here. */
function knownDefects({ base, root }: CommandOptions): readonly KnownDefect[] {
  const listed = readKnownDefects(KNOWN_DEFECTS);
  return base === undefined && root === undefined ? listed : [...listed, ...readFailedTapes(FAILED_TAPES)];
}

function list(say: (line: string) => void): number {
  const defects = readKnownDefects(KNOWN_DEFECTS);
  for (const { name, invariant, what, story } of defects) {
    say(`${name} (breaks ${invariant})\n${what}\n${story === undefined ? '' : `\n${story}\n`}`);
  }
  say(`${defects.length} known defects`);
  return 0;
}

async function simulate(options: CommandOptions, folders: CodeFolders, say: (line: string) => void): Promise<number> {
  const { seed, faults } = options;
  if (options.tape !== undefined) return playTape(readTape(options.tape), await playOf(folders), options, say);
  if (seed !== undefined) {
    const drawn = generateTape(seed, { codes: folders.roots.length, ...(faults !== undefined && { faults }) });
    const tape = options.whole ? drawn : avoiding(drawn, seed, knownDefects(options));
    return playTape(tape, await playOf(folders), options, say);
  }
  return campaign(options, folders, say);
}

function readTape(file: string): Tape {
  const content: Tape | { readonly tape: Tape } = JSON.parse(readFileSync(file, 'utf8'));
  return 'tape' in content ? content.tape : content;
}

async function playTape(tape: Tape, play: Play, options: CommandOptions, say: (line: string) => void): Promise<number> {
  const { violation, events, calls, history } = await played(play, tape);
  say(`${calls} calls, ${events} events, history ${history}`);
  if (!violation) {
    say(options.story ? (await explain(play, tape)).story : 'Nothing is wrong.');
    return 0;
  }
  const failure = await failureOf(play, tape, violation, {
    shrinkMs: options.shrink ? options.shrinkSeconds * 1000 : 0,
  });
  if (options.shrink) say(JSON.stringify(failure.tape, undefined, 2));
  say(options.story || options.shrink ? failure.story : `${failure.invariant}: ${failure.says}`);
  const known = knownDefectOf(failure.invariant, failure.tape, knownDefects(options));
  if (known) say(`This is the known defect ${known.name}.`);
  return known ? 0 : 1;
}

async function campaign(options: CommandOptions, folders: CodeFolders, say: (line: string) => void): Promise<number> {
  const { to, events, processorSeconds, stop, whole, workers, faults, folder, shrinkSeconds, pieces } = options;
  const before = pieces === undefined ? undefined : readTotals(pieces);
  const from = before?.next ?? options.from ?? Date.now() % 1_000_000_000;
  const hasEnd = to !== undefined || events !== undefined || processorSeconds !== undefined;
  say(`Seeds from ${from}${faults === undefined ? '' : `, with faults: ${faults}`}`);
  const crew = workers > 1 ? new WorkerCrew(workers, folders) : soloCrew(await playOf(folders));
  const end = new AbortController();
  const stopSoon = (): void => end.abort();
  if (pieces !== undefined) for (const signal of SIGNALS) process.once(signal, stopSoon);
  try {
    const { unknown } = await runCampaign(crew, {
      from,
      to,
      seconds: options.seconds ?? (hasEnd ? undefined : DEFAULT_SECONDS),
      processorSeconds,
      events,
      stops: stop,
      isWhole: whole,
      known: knownDefects(options),
      until: options.until,
      folder,
      before,
      version: versionOf(folders.roots),
      signal: end.signal,
      ...(pieces !== undefined && { save: (totals) => writeTotals(pieces, totals) }),
      codes: folders.roots.length,
      shrinkMs: shrinkSeconds * 1000,
      ...(faults !== undefined && { faults }),
      say,
    });
    return Object.keys(unknown).length > 0 ? 1 : 0;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stopSoon);
    await crew.end();
  }
}

/** Returns which commit the code is of, as far as git knows: a working tree may have changed since. */
function versionOf([root]: readonly string[]): string {
  try {
    const args = ['describe', '--always', '--dirty', '--exclude=*'];
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
