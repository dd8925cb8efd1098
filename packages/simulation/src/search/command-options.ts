import { parseArgs } from 'node:util';
import { CommandError, messageOf } from './command-error.js';
import { FAULT_SET_NAMES, type FaultSetName, isFaultSetName } from './fault-sets.js';

/** What the command is asked to do. */
export interface CommandOptions {
  readonly help: boolean;
  readonly list: boolean;
  readonly story: boolean;
  readonly shrink: boolean;
  readonly stop: boolean;
  readonly until?: readonly string[] | undefined;
  readonly whole: boolean;
  readonly seed?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly seconds?: number | undefined;
  readonly processorSeconds?: number | undefined;
  readonly events?: number | undefined;
  readonly workers: number;
  readonly shrinkSeconds: number;
  readonly faults?: FaultSetName | undefined;
  readonly tape?: string | undefined;
  readonly folder?: string | undefined;
  readonly pieces?: string | undefined;
  readonly root?: string | undefined;
  readonly base?: string | undefined;
  readonly beside?: string | undefined;
}

export const HELP = `Plays fleets of processes in virtual time, and looks for a promise of the documentation that they break.

npm run simulate -- [what to play] [how]

What to play:
  (nothing)           a campaign: one random tape after another, for 60 seconds
  --seconds S         a campaign of S seconds. With --pieces: this piece of it
  --processor-seconds S  a campaign in which a processor is busy for S seconds, however busy the machine is with other things
  --events N          a campaign of N events (messages, timers, calls)
  --seeds FROM-TO     a campaign of these seeds; FROM alone begins there
  --seed N            the tape that a campaign with the same options plays for this seed
  --tape FILE         a tape that was written to a file, or an entry of known-defects or failed-tapes
  --list              nothing: lists the known defects
  --mutants ...       small changes of the code, to see which of them the simulation finds: --mutants --help

How:
  --faults NAME       what goes wrong: ${FAULT_SET_NAMES.join(', ')}
                      (default: the seed decides)
  --root DIR          plays the code of another checkout, in place of that of this one. What is mended here and not there is known
  --base COMMIT       plays the code of this commit, in place of that of the working tree. What was mended since is known
  --beside COMMIT     lets processes of the fault set "deploy" run the code of this commit beside that of the others
  --whole             leaves nothing out of tapes that known defects say to avoid
  --shrink-seconds S  how long what a failure does not need may be left out of its tape (default: 20)

How to play a tape or a seed:
  --story             tells it in words, also if nothing is wrong
  --shrink            prints what is left of a failing tape, and tells that

How to run a campaign:
  --workers N         threads (default: 1)
  --until NAMES       ends it when these defects have been met, such as late-return-goes-to-a-new-state,another-one
  --stop              ends it with its first unknown failure
  --pieces FILE       goes on after the last piece with this file, and sums all of them up. --events and --processor-seconds count
                      all pieces. The tapes must be drawn alike: the same --seeds, --faults, --whole and --beside
  --folder DIR        where it writes the tapes of unknown failures, and the first tape of each known defect
                      (default: the folder for temporary files)

Ctrl+C ends a campaign when the seeds under way are played, a second one at once.

The exit code is 1 if something is wrong that is not a known defect, and 2 if the command could not be carried out.`;

const OPTIONS = {
  help: { type: 'boolean' },
  list: { type: 'boolean' },
  story: { type: 'boolean' },
  shrink: { type: 'boolean' },
  stop: { type: 'boolean' },
  whole: { type: 'boolean' },
  seed: { type: 'string' },
  seeds: { type: 'string' },
  seconds: { type: 'string' },
  'processor-seconds': { type: 'string' },
  events: { type: 'string' },
  workers: { type: 'string' },
  'shrink-seconds': { type: 'string' },
  faults: { type: 'string' },
  tape: { type: 'string' },
  folder: { type: 'string' },
  pieces: { type: 'string' },
  until: { type: 'string' },
  root: { type: 'string' },
  base: { type: 'string' },
  beside: { type: 'string' },
} as const;

type OptionName = keyof typeof OPTIONS;

/** These say how a campaign goes. */
const OF_CAMPAIGNS: readonly OptionName[] = [
  ...(['seeds', 'seconds', 'processor-seconds', 'events'] as const),
  ...(['workers', 'until', 'stop', 'pieces', 'folder'] as const),
];

/** These say how one tape or seed is played. */
const OF_ONE_TAPE = ['story', 'shrink'] as const;

/** Options that exclude each other. */
const EITHER: readonly (readonly [OptionName, OptionName])[] = [
  ['seed', 'tape'],
  ['root', 'base'],
  ['faults', 'tape'],
  ['whole', 'tape'],
  ...OF_CAMPAIGNS.flatMap((option): [OptionName, OptionName][] => [
    [option, 'seed'],
    [option, 'tape'],
  ]),
];

/** Seeds are numbers of 32 bits. */
const MOST_SEED = 2 ** 32 - 1;

/**
 * Reads the arguments of the command.
 *
 * @throws CommandError that says which argument is wrong
 */
export function commandOptions(args: readonly string[]): CommandOptions {
  const values = parsed(args);
  for (const [one, other] of EITHER) {
    if (values[one] !== undefined && values[other] !== undefined) wrong(`--${one} and --${other} exclude each other`);
  }
  const isOne = values.seed !== undefined || values.tape !== undefined;
  for (const option of OF_ONE_TAPE) {
    if (values[option] && !isOne) wrong(`--${option} needs --seed or --tape`);
  }
  const { seeds, faults, seed, until, workers, seconds, events, help, list, story, shrink, stop, whole, ...rest } =
    values;
  const { 'shrink-seconds': shrinkSeconds, 'processor-seconds': processorSeconds, ...files } = rest;
  return {
    ...files,
    ...seedsOf(seeds),
    help: help ?? false,
    list: list ?? false,
    story: story ?? false,
    shrink: shrink ?? false,
    stop: stop ?? false,
    whole: whole ?? false,
    faults: faults === undefined ? undefined : faultSetOf(faults),
    until: until?.split(',').map((name) => name.trim()),
    seed: numberOf('--seed', seed, 0, MOST_SEED),
    seconds: numberOf('--seconds', seconds, 1),
    processorSeconds: numberOf('--processor-seconds', processorSeconds, 1),
    events: numberOf('--events', events, 1),
    workers: numberOf('--workers', workers, 1, 64) ?? 1,
    shrinkSeconds: numberOf('--shrink-seconds', shrinkSeconds, 0) ?? 20,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    return wrong(messageOf(error));
  }
}

function numberOf(option: string, text: string | undefined, least: number, most = Number.MAX_SAFE_INTEGER) {
  if (text === undefined) return undefined;
  const number = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN;
  if (number >= least && number <= most) return number;
  const atMost = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`;
  return wrong(`${option} must be a whole number of at least ${least}${atMost}, got ${text}`);
}

function seedsOf(text: string | undefined): { readonly from?: number | undefined; readonly to?: number | undefined } {
  if (text === undefined) return {};
  const [first, last, ...more] = text.split('-');
  const from = numberOf('--seeds', first, 0, MOST_SEED);
  const to = numberOf('--seeds', last, 0, MOST_SEED);
  if (more.length > 0 || (from !== undefined && to !== undefined && to < from)) {
    return wrong(`--seeds must be two numbers with the smaller one first, such as 1-1000, got ${text}`);
  }
  return { from, to };
}

function faultSetOf(name: string): FaultSetName {
  return isFaultSetName(name) ? name : wrong(`--faults must be one of ${FAULT_SET_NAMES.join(', ')}, got ${name}`);
}

function wrong(what: string): never {
  throw new CommandError(`${what}.\nSee --help.`);
}
