import { parseArgs } from 'node:util';
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
  --seconds S         a campaign of S seconds
  --processor-seconds S  a campaign in which a processor is busy for S seconds, however busy the machine is with other things
  --events N          a campaign of N events (messages, timers, calls)
  --seeds FROM-TO     a campaign of these seeds; FROM alone begins there
  --seed N            the tape of one seed
  --tape FILE         a tape that was written to a file, or an entry of known-defects or failed-tapes
  --list              nothing: lists the known defects
  --mutants ...       small changes of the code, to see which of them the simulation finds: --mutants --help

How:
  --faults NAME       what goes wrong: ${FAULT_SET_NAMES.join(', ')}
                      (default: the seed decides)
  --root DIR          plays the code of another checkout, in place of that of this one
  --base COMMIT       plays the code of this commit, in place of that of the working tree. Mended defects are recognised, too
  --beside COMMIT     lets processes of the fault set "deploy" run the code of this commit beside that of the others
  --story             tells a tape in words, also if nothing is wrong
  --shrink            leaves out of a failing tape what the failure does not need (a campaign always does)
  --shrink-seconds S  how long that may take for each failure (default: 20)
  --workers N         threads of a campaign (default: 1)
  --whole             leaves nothing out of tapes that known defects say to avoid
  --until NAMES       ends a campaign when these defects have been met, such as late-return-goes-to-a-new-state,another-one
  --stop              ends a campaign with its first unknown failure
  --pieces FILE       a campaign in pieces: goes on after the last piece with this file, and sums all of them up. SIGINT
                      (Ctrl+C) ends a piece when the seeds under way are played. --events counts all pieces
  --folder DIR        where a campaign writes the tapes of unknown failures (default: the folder for temporary files)

The exit code is 1 if something is wrong that is not a known defect.`;

/**
 * Reads the arguments of the command.
 *
 * @throws Error that says which argument is wrong
 */
export function commandOptions(args: readonly string[]): CommandOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      story: { type: 'boolean', default: false },
      shrink: { type: 'boolean', default: false },
      stop: { type: 'boolean', default: false },
      whole: { type: 'boolean', default: false },
      seed: { type: 'string' },
      seeds: { type: 'string' },
      seconds: { type: 'string' },
      'processor-seconds': { type: 'string' },
      events: { type: 'string' },
      workers: { type: 'string', default: '1' },
      'shrink-seconds': { type: 'string', default: '20' },
      faults: { type: 'string' },
      tape: { type: 'string' },
      folder: { type: 'string' },
      pieces: { type: 'string' },
      until: { type: 'string' },
      root: { type: 'string' },
      base: { type: 'string' },
      beside: { type: 'string' },
    },
  });
  const { seeds, faults, seed, seconds, events, workers, until, ...rest } = values;
  const { 'shrink-seconds': shrinkSeconds, 'processor-seconds': processorSeconds, ...others } = rest;
  return {
    ...others,
    ...seedsOf(seeds),
    faults: faults === undefined ? undefined : faultSetOf(faults),
    until: until?.split(','),
    seed: numberOf('--seed', seed),
    seconds: numberOf('--seconds', seconds),
    processorSeconds: numberOf('--processor-seconds', processorSeconds),
    events: numberOf('--events', events),
    workers: Math.max(1, numberOf('--workers', workers) ?? 1),
    shrinkSeconds: numberOf('--shrink-seconds', shrinkSeconds) ?? 20,
  };
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${option} must be a whole number, got ${text}`);
  return number;
}

function seedsOf(text: string | undefined): { readonly from?: number; readonly to?: number } {
  if (text === undefined) return {};
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (from === undefined) throw new Error(`--seeds must be two numbers, such as 1-1000, got ${text}`);
  return to === undefined ? { from: Number(from) } : { from: Number(from), to: Number(to) };
}

function faultSetOf(name: string): FaultSetName {
  if (isFaultSetName(name)) return name;
  throw new Error(`--faults must be one of ${FAULT_SET_NAMES.join(', ')}, got ${name}`);
}
