import type { Tape } from '../tape/tape.js';
import { avoiding } from './avoid.js';
import { CAN_BE_PLAYED, type Failure, type FailureOptions, failureOf, type Play, played } from './failure.js';
import type { FaultSetName } from './fault-sets.js';
import { faultSetOf, type GenerateOptions, generateTape } from './generate.js';

/** What a seed has shown. */
export interface SeedResult {
  readonly seed: number;
  readonly faults: FaultSetName;
  readonly events: number;
  readonly calls: number;
  readonly failure?: Failure;
}

export interface SeedRunOptions extends GenerateOptions, FailureOptions {
  /** Whether nothing is left out of any tape. Default: false. Otherwise, most leave out what a known defect says to avoid. */
  readonly isWhole?: boolean;
}

/** Every so many seeds, a tape is played twice: both runs must be the same. */
const PLAYED_TWICE = 50;

/** Returns the tape that a campaign with these options plays for a seed. */
export function tapeOfSeed(seed: number, options: Omit<SeedRunOptions, 'shrinkMs'>): Tape {
  const drawn = generateTape(seed, options);
  return options.isWhole ? drawn : avoiding(drawn, seed, options.known);
}

/** Plays the tape of a seed. A failure is shrunk, told and named. */
export async function runSeed(seed: number, play: Play, options: SeedRunOptions): Promise<SeedResult> {
  const tape = tapeOfSeed(seed, options);
  const { violation, events, calls, history } = await played(play, tape);
  const result = { seed, faults: faultSetOf(seed, options), events, calls };
  if (violation) return { ...result, failure: await failureOf(play, tape, violation, options) };
  if (seed % PLAYED_TWICE === 0 && (await played(play, tape)).history !== history) {
    return { ...result, failure: unplayable(CAN_BE_PLAYED, tape, 'Two runs of this tape had different histories.') };
  }
  return result;
}

/** What a seed has shown whose run did not come to an end. */
export function brokenRun(seed: number, options: SeedRunOptions, invariant: string, says: string): SeedResult {
  const failure = unplayable(invariant, tapeOfSeed(seed, options), says);
  return { seed, faults: faultSetOf(seed, options), events: 0, calls: 0, failure };
}

function unplayable(invariant: string, tape: Tape, says: string): Failure {
  return { invariant, says, tape, whole: tape, story: says };
}
