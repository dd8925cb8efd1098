import { readFileSync } from 'node:fs';
import type { Violation } from '../model/violation.js';
import { wrongInTape } from '../tape/check-tape.js';
import type { Tape } from '../tape/tape.js';
import { CommandError, messageOf } from './command-error.js';
import type { CommandOptions } from './command-options.js';
import { explain, type Failure, type FailureOptions, failureOf, type Play, played } from './failure.js';
import type { KnownDefect } from './known-defects.js';

/**
 * Reads a tape from a file, or from an entry of the known defects.
 *
 * @param codes - how many versions of the code there are to play it
 * @throws CommandError if it cannot be played
 */
export function readTape(file: string, codes: number): Tape {
  const content = parsed(file);
  const tape = typeof content === 'object' && content !== null && 'tape' in content ? content.tape : content;
  const [first, ...others] = wrongInTape(tape);
  if (first !== undefined) {
    throw new CommandError(`${file} cannot be played. ${[first, ...others.slice(0, 9)].join('\n')}`);
  }
  const { setup, steps } = tape as Tape;
  if ([...setup.processes, ...steps].some((one) => 'code' in one && (one.code ?? 0) >= codes)) {
    throw new CommandError(`${file} is of processes with ${codes + 1} versions of the code: play it with --beside.`);
  }
  return tape as Tape;
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** What one tape has shown. */
export interface TapeReport {
  readonly lines: readonly string[];
  /** Whether it fails in a way that nobody knows. */
  readonly isNew: boolean;
}

export interface TapeReportOptions extends FailureOptions {
  /** Whether it is told also if nothing is wrong. */
  readonly story: boolean;
  /** Whether the report is about what is left of a failing tape. */
  readonly shrink: boolean;
}

/** Returns how a tape is reported that somebody plays by hand. */
export function reportOptionsOf(
  { story, shrink, shrinkSeconds }: Pick<CommandOptions, 'shrink' | 'shrinkSeconds' | 'story'>,
  known: readonly KnownDefect[],
): TapeReportOptions {
  // What a tape is named by is what is left of it, as in a campaign.
  const shrinkMs = shrink || known.length > 0 ? shrinkSeconds * 1000 : 0;
  return { story, shrink, shrinkMs, known };
}

/** Plays one tape, and returns what it shows. */
export async function reportOf(tape: Tape, play: Play, options: TapeReportOptions): Promise<TapeReport> {
  const { violation, events, calls, history } = await played(play, tape);
  const figures = `${calls} calls, ${events} events, history ${history}`;
  if (!violation) {
    const told = options.story ? (await explain(play, tape)).story : 'Nothing is wrong.';
    return { lines: [figures, told], isNew: false };
  }
  const failure = await failureOf(play, tape, violation, options);
  const { defect } = failure;
  const lines = [figures, ...(await failureLines(failure, violation, play, options))];
  return defect === undefined
    ? { lines, isNew: true }
    : { lines: [...lines, `This is the known defect ${defect}.`], isNew: false };
}

async function failureLines(
  { whole, tape, story }: Failure,
  { invariant, says }: Violation,
  play: Play,
  options: TapeReportOptions,
): Promise<readonly string[]> {
  if (options.shrink) return [JSON.stringify(tape, undefined, 2), story];
  return options.story ? [(await explain(play, whole)).story] : [`${invariant}: ${says}`];
}
