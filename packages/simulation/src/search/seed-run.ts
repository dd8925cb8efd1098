import { avoiding } from './avoid.js';
import { CAN_BE_PLAYED, type Failure, failureOf, type Play, played } from './failure.js';
import type { FaultSetName } from './fault-sets.js';
import { faultSetOf, type GenerateOptions, generateTape } from './generate.js';
import type { KnownDefect } from './known-defects.js';

/** What a seed has shown. */
export interface SeedResult {
  readonly seed: number;
  readonly faults: FaultSetName;
  readonly events: number;
  readonly calls: number;
  readonly failure?: Failure;
}

export interface SeedRunOptions extends GenerateOptions {
  /** How long a failing tape may be shrunk. 0: not at all. */
  readonly shrinkMs: number;
  /** Most tapes leave out what meets one of these so often that nothing else would be found. */
  readonly known?: readonly KnownDefect[];
  /** Whether nothing is left out of any tape. Default: false. */
  readonly isWhole?: boolean;
}

/** Every so many seeds, a tape is played twice: both runs must be the same. */
const PLAYED_TWICE = 50;

/** Plays the tape of a seed. A failure is shrunk and told. */
export async function runSeed(seed: number, play: Play, options: SeedRunOptions): Promise<SeedResult> {
  const drawn = generateTape(seed, options);
  const tape = options.isWhole ? drawn : avoiding(drawn, seed, options.known);
  const { violation, events, calls, history } = await played(play, tape);
  const result = { seed, faults: faultSetOf(seed, options), events, calls };
  if (violation) return { ...result, failure: await failureOf(play, tape, violation, options) };
  if (seed % PLAYED_TWICE === 0 && (await played(play, tape)).history !== history) {
    const says = 'Two runs of this tape had different histories.';
    return { ...result, failure: { invariant: CAN_BE_PLAYED, says, tape, story: says } };
  }
  return result;
}
