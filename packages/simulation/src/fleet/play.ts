import { Model, type Violation } from '../model/model.js';
import type { Bundle } from '../process/bundle.js';
import type { Tape } from '../tape/tape.js';
import { Fleet } from './fleet.js';
import type { Observation } from './observation.js';

/** The invariant that a run breaks if it goes on for ever. */
export const ENDS = 'ends';

/** The invariant that a run breaks if a process would have ended by an error that nobody catches. */
export const CRASH = 'crash';

/** What Node ends a process for. */
const FATAL_EVENTS = ['unhandledRejection', 'uncaughtException'] as const;

/** What playing a tape has shown. */
export interface Played {
  readonly violation: Violation | undefined;
  /** How much happened: messages, timers, calls. */
  readonly events: number;
  readonly calls: number;
  /** A hash of everything that was observed: the same tape and code always give the same one. */
  readonly history: string;
}

/**
 * Plays a tape to its end, or to the first violation of an invariant.
 *
 * @param codes - the versions of the code that the processes of the tape run
 * @param watch - is shown everything that the model observes
 */
export async function play(
  tape: Tape,
  codes: readonly Bundle[],
  watch?: (observation: Observation) => void,
): Promise<Played> {
  const model = new Model();
  const history = new HistoryHash();
  let violation: Violation | undefined;
  let failure: unknown;
  const fleet = new Fleet(tape, codes, (observation) => {
    if (violation || failure) return;
    history.add(observation);
    try {
      watch?.(observation);
      violation = model.observe(observation);
    } catch (error) {
      // Not of the process in which it happened to be observed.
      failure = error;
    }
    if (violation || failure) fleet.stop();
  });
  const crashed = (error: unknown): void => {
    const says = `A process would have ended by itself: ${error instanceof Error ? error.message : String(error)}.`;
    violation ??= { invariant: CRASH, atMs: fleet.nowMs, calls: [], says };
    fleet.stop();
  };
  for (const event of FATAL_EVENTS) process.on(event, crashed);
  try {
    await fleet.play(crashed);
  } finally {
    for (const event of FATAL_EVENTS) process.off(event, crashed);
  }
  if (failure) throw failure;
  if (fleet.isEndless) violation = endlessAt(fleet.nowMs);
  return { violation, events: fleet.events, calls: fleet.calls, history: history.toString() };
}

function endlessAt(atMs: number): Violation {
  return { invariant: ENDS, atMs, calls: [], says: 'Something goes on for ever: the fleet does not come to rest.' };
}

/** Mixes what differs between two histories: when, which call, and how it was answered. */
class HistoryHash {
  #high = 0x9e3779b9;
  #low = 0x85ebca6b;

  add(observation: Observation): void {
    this.#mix(Math.round(observation.atMs * 1000));
    if ('call' in observation) this.#mix(observation.call);
    if (observation.kind !== 'answer') return;
    const { outcome } = observation;
    if ('decision' in outcome) {
      this.#mix(outcome.decision.allowed ? 1 : 2);
      for (const { remaining } of outcome.decision.verdicts) this.#mix(remaining);
    } else if ('error' in outcome) {
      this.#mix(outcome.error.message.length);
    }
  }

  toString(): string {
    return (this.#high >>> 0).toString(16).padStart(8, '0') + (this.#low >>> 0).toString(16).padStart(8, '0');
  }

  #mix(number: number): void {
    this.#high = Math.imul(this.#high ^ number, 0x21f0aaad) + this.#low;
    this.#low = Math.imul(this.#low ^ (number / 2 ** 32) ^ (this.#high >>> 15), 0x735a2d97);
  }
}
