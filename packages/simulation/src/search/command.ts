import { constants, tmpdir } from 'node:os';
import { planOf, runCampaign } from './campaign.js';
import { CommandError } from './command-error.js';
import { type CommandOptions, commandOptions, HELP } from './command-options.js';
import { type CodeFolders, type Crew, WorkerCrew } from './crew.js';
import { KNOWN_DEFECTS, readKnownDefects } from './known-defects.js';
import { readTape, reportOptionsOf } from './one-tape.js';
import { checkPlan, lockPieces, readPieces, writePieces } from './pieces.js';
import { SearchedCode } from './searched-code.js';
import { tapeOfSeed } from './seed-run.js';
import { TapeFolder } from './tape-folder.js';

/** Without a limit, a campaign takes a minute. */
const DEFAULT_SECONDS = 60;

/** Each ends a campaign when the seeds under way are played, and everything else at once. A second one ends a campaign at once, too. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Say = (line: string) => void;

/** Makes those who play. */
type CrewOf = (workers: number, folders: CodeFolders) => Promise<Crew>;

/**
 * Does what the command `npm run simulate` is asked to do. Returns its exit code: 1 if something is wrong that is not a known defect,
 * 2 if the command could not be carried out.
 *
 * @param say - called with each line that it prints
 * @param crewOf - default: each player has a thread
 */
export async function simulateCommand(
  args: readonly string[],
  say: Say,
  crewOf: CrewOf = (workers, folders) => WorkerCrew.begin(workers, folders),
): Promise<number> {
  try {
    const options = commandOptions(args);
    if (options.help) say(HELP);
    else if (options.list) list(say);
    else return await play(options, say, crewOf);
    return 0;
  } catch (error) {
    say(error instanceof CommandError ? error.message : String(error instanceof Error ? error.stack : error));
    return 2;
  }
}

function list(say: Say): void {
  const defects = readKnownDefects(KNOWN_DEFECTS);
  for (const { name, invariant, what, story } of defects) {
    say(`${name} (breaks ${invariant})\n${what}\n${story === undefined ? '' : `\n${story}\n`}`);
  }
  say(`${defects.length} known defects`);
}

async function play(options: CommandOptions, say: Say, crewOf: CrewOf): Promise<number> {
  const end = new AbortController();
  const isCampaign = options.tape === undefined && options.seed === undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    // What was checked out or locked goes when the process ends.
    if (!isCampaign || end.signal.aborted) process.exit(128 + constants.signals[signal]);
    say('It ends when the seeds under way are played. A second signal ends it at once.');
    end.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  let code: SearchedCode | undefined;
  try {
    code = new SearchedCode(options, say);
    return await (isCampaign ? campaign(options, code, end.signal, say, crewOf) : oneTape(options, code, say, crewOf));
  } finally {
    code?.remove();
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

async function oneTape(options: CommandOptions, code: SearchedCode, say: Say, crewOf: CrewOf): Promise<number> {
  const tape = tapeOf(options, code);
  const crew = await crewOf(1, code.folders);
  try {
    const { lines, isNew } = await crew.report(tape, reportOptionsOf(options, code.defects));
    for (const line of lines) say(line);
    return isNew ? 1 : 0;
  } finally {
    await crew.end();
  }
}

function tapeOf({ tape, seed = 0, faults, whole }: CommandOptions, { folders, defects }: SearchedCode) {
  const codes = folders.roots.length;
  if (tape !== undefined) return readTape(tape, codes);
  return tapeOfSeed(seed, { codes, known: defects, isWhole: whole, ...(faults !== undefined && { faults }) });
}

/** Lets nobody else use its file of pieces meanwhile. */
async function campaign(...[options, ...others]: Parameters<typeof search>): Promise<number> {
  const unlock = options.pieces === undefined ? undefined : lockPieces(options.pieces);
  try {
    return await search(options, ...others);
  } finally {
    unlock?.();
  }
}

async function search(
  options: CommandOptions,
  code: SearchedCode,
  signal: AbortSignal,
  say: Say,
  crewOf: CrewOf,
): Promise<number> {
  const { to, seconds, events, processorSeconds, stop, until, whole, workers, faults, pieces } = options;
  const { version, folders, defects: known } = code;
  checkNames(
    until,
    known.map(({ name }) => name),
  );
  const folder = new TapeFolder(options.folder ?? tmpdir(), say);
  const before = pieces === undefined ? undefined : readPieces(pieces);
  const from = options.from ?? before?.plan.from ?? Date.now() % 1_000_000_000;
  const codes = folders.roots.length;
  const drawn = { from, codes, isWhole: whole, ...(faults !== undefined && { faults }) };
  if (pieces !== undefined && before) checkPlan(pieces, planOf(drawn), before.plan);
  say(`Seeds from ${before?.next ?? from}${faults === undefined ? '' : `, with faults: ${faults}`}`);
  const hasEnd = to !== undefined || events !== undefined || processorSeconds !== undefined;
  const crew = await crewOf(workers, folders);
  try {
    const { unknown } = await runCampaign(crew, {
      ...drawn,
      to,
      seconds: seconds ?? (hasEnd ? undefined : DEFAULT_SECONDS),
      processorSeconds,
      events,
      stops: stop,
      known,
      until,
      folder,
      before,
      version,
      signal,
      ...(pieces !== undefined && { save: (totals) => writePieces(pieces, totals) }),
      shrinkMs: options.shrinkSeconds * 1000,
      say,
    });
    return Object.values(unknown).some((failure) => failure.version === version) ? 1 : 0;
  } finally {
    await crew.end();
  }
}

/** @throws CommandError if the search would wait for a defect that it cannot meet */
function checkNames(until: readonly string[] = [], names: readonly string[]): void {
  const missing = until.filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  throw new CommandError(
    `--until: the searched code has no known defect ${missing.join(', ')}. It may have ${names.join(', ') || 'none'}.`,
  );
}
