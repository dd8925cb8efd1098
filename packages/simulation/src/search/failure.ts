import type { Observation } from '../fleet/observation.js';
import { CRASH, type Played } from '../fleet/play.js';
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
  /** The tape before anything was left out. */
  readonly whole: Tape;
  readonly story: string;
  /** The name of the known defect that this is. Absent: nobody knows it. */
  readonly defect?: string;
}

export interface FailureOptions {
  /** How long the tape may be shrunk. 0: not at all. */
  readonly shrinkMs: number;
  readonly known?: readonly KnownDefect[];
  /** The names of those that were met before. A tape that shows one of them need not become smaller. */
  readonly met?: readonly string[];
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

/** Leaves out of a tape what its violation does not need, explains what is left, and names the defect. */
export async function failureOf(
  play: Play,
  tape: Tape,
  violation: Violation,
  { shrinkMs, known = [], met = [] }: FailureOptions,
): Promise<Failure> {
  const { invariant } = violation;
  const before = known.filter(({ name }) => met.includes(name));
  const isEnough = (other: Tape): boolean => knownDefectOf(invariant, other, before) !== undefined;
  const isSame = async (other: Tape): Promise<boolean> => {
    const { violation: found } = await played(play, other);
    return found !== undefined && isLike(found, violation);
  };
  const small = shrinkMs > 0 ? await shrink(tape, isSame, { ms: shrinkMs, isEnough }) : tape;
  const { violation: explained = violation, story } = await explain(play, small);
  const defect = invariant === CAN_BE_PLAYED ? undefined : knownDefectOf(invariant, small, known)?.name;
  return { invariant, says: explained.says, tape: small, whole: tape, story, ...(defect !== undefined && { defect }) };
}

/** Errors of the code break these two invariants, whatever they are. They are told apart by what they say. */
const SAY_WHICH: readonly string[] = [CRASH, CAN_BE_PLAYED];

function isLike(one: Violation, other: Violation): boolean {
  if (one.invariant !== other.invariant) return false;
  return !SAY_WHICH.includes(one.invariant) || withoutNumbers(one.says) === withoutNumbers(other.says);
}

function withoutNumbers(says: string): string {
  return says.replace(/\n.*/s, '').replace(/\d+/g, '0');
}

/** Plays a tape, and explains what happens. */
export async function explain(
  play: Play,
  tape: Tape,
): Promise<{ readonly violation: Violation | undefined; readonly story: string }> {
  const observations: Observation[] = [];
  const { violation } = await played(play, tape, (observation) => observations.push(observation));
  return { violation, story: toldStory(tape, observations, violation) };
}

/** A story that cannot be told must not hide the failure. */
function toldStory(tape: Tape, observations: readonly Observation[], violation: Violation | undefined): string {
  try {
    return storyOf(tape, observations, violation);
  } catch (error) {
    return [violation?.says ?? '', `The story cannot be told: ${error}`].join('\n').trim();
  }
}
