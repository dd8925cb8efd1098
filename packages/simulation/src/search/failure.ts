import type { Observation } from '../fleet/observation.js';
import type { Played } from '../fleet/play.js';
import type { Violation } from '../model/violation.js';
import type { Tape } from '../tape/tape.js';
import { type KnownDefect, knownDefectOf } from './known-defects.js';
import { shrink } from './shrink.js';
import { storyOf } from './story.js';

/** Plays a tape. That of the fleet, with the code that is searched. */
export type Play = (tape: Tape, watch?: (observation: Observation) => void) => Promise<Played>;

/** A tape on which something is wrong. */
export interface Failure {
  readonly invariant: string;
  readonly says: string;
  /** What is left of the tape. */
  readonly tape: Tape;
  readonly story: string;
}

/** The invariant that a run breaks if the simulator itself fails on its tape. No known defect hides that. */
export const CAN_BE_PLAYED = 'can-be-played';

/** Plays a tape. An error of the fleet is a violation, too. */
export async function played(
  play: Play,
  tape: Tape,
  watch?: (observation: Observation) => void,
): Promise<Pick<Played, 'violation' | 'events' | 'calls' | 'history'>> {
  try {
    return await play(tape, watch);
  } catch (error) {
    const says = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { violation: { invariant: CAN_BE_PLAYED, atMs: 0, calls: [], says }, events: 0, calls: 0, history: '' };
  }
}

/**
 * Leaves out of a tape what its violation does not need, and explains what is left.
 *
 * @param known - a tape that shows one of them need not become smaller
 */
export async function failureOf(
  play: Play,
  tape: Tape,
  violation: Violation,
  { shrinkMs, known = [] }: { readonly shrinkMs: number; readonly known?: readonly KnownDefect[] },
): Promise<Failure> {
  const { invariant } = violation;
  const isEnough = (other: Tape): boolean => knownDefectOf(invariant, other, known) !== undefined;
  const isSame = async (other: Tape): Promise<boolean> =>
    (await played(play, other)).violation?.invariant === invariant;
  const small = shrinkMs > 0 ? await shrink(tape, isSame, { ms: shrinkMs, isEnough }) : tape;
  const explained = await explain(play, small);
  return { invariant, says: (explained.violation ?? violation).says, tape: small, story: explained.story };
}

/** Plays a tape, and explains what happens. */
export async function explain(
  play: Play,
  tape: Tape,
): Promise<{ readonly violation: Violation | undefined; readonly story: string }> {
  const observations: Observation[] = [];
  const { violation } = await played(play, tape, (observation) => observations.push(observation));
  return { violation, story: storyOf(tape, observations, violation) };
}
