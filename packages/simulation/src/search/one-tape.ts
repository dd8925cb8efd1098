import { readFileSync } from 'node:fs';
import { wrongInTape } from '../tape/check-tape.js';
import type { Tape } from '../tape/tape.js';
import { CommandError, messageOf } from './command-error.js';
import type { CommandOptions } from './command-options.js';
import { playOf } from './crew.js';
import { explain, failureOf, played } from './failure.js';
import type { SearchedCode } from './searched-code.js';

/**
 * Reads a tape from a file, or from an entry of the known defects.
 *
 * @throws CommandError if it cannot be played
 */
export function readTape(file: string): Tape {
  const content = parsed(file);
  const tape = typeof content === 'object' && content !== null && 'tape' in content ? content.tape : content;
  const [first, ...others] = wrongInTape(tape);
  if (first !== undefined) {
    throw new CommandError(`${file} cannot be played. ${[first, ...others.slice(0, 9)].join('\n')}`);
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

/** Plays one tape, and says what it shows. Returns the exit code: 1 if it fails in a way that nobody knows. */
export async function playTape(
  tape: Tape,
  code: SearchedCode,
  options: Pick<CommandOptions, 'shrink' | 'shrinkSeconds' | 'story'>,
  say: (line: string) => void,
): Promise<number> {
  const play = await playOf(code.folders);
  const { violation, events, calls, history } = await played(play, tape);
  say(`${calls} calls, ${events} events, history ${history}`);
  if (!violation) {
    say(options.story ? (await explain(play, tape)).story : 'Nothing is wrong.');
    return 0;
  }
  const known = code.defects;
  // What a tape is named by is what is left of it, as in a campaign.
  const shrinkMs = options.shrink || known.length > 0 ? options.shrinkSeconds * 1000 : 0;
  const failure = await failureOf(play, tape, violation, { shrinkMs, known });
  if (options.shrink) say(JSON.stringify(failure.tape, undefined, 2));
  if (options.shrink) say(failure.story);
  else if (options.story) say((await explain(play, tape)).story);
  else say(`${violation.invariant}: ${violation.says}`);
  if (failure.defect !== undefined) say(`This is the known defect ${failure.defect}.`);
  return failure.defect === undefined ? 1 : 0;
}
