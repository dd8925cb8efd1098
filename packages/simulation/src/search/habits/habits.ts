import { kindsOf } from '../../tape/nesting.js';
import type { Step } from '../../tape/tape.js';
import type { DrawnRun } from '../drawing/drawn-run.js';
import { administering, closing, correcting, replacing } from './administration.js';
import { handingOver, impatient, retrying } from './repeats.js';
import { clearingUp, estimating, reserving, running, waiting } from './reserving.js';
import { bursts, cheating, collisions, crowds, flooding, obeying, peeking, pressing, steady } from './traffic.js';

/** A way in which applications use a limiter, for a while. A tape is a mixture of them. */
export type Habit = (run: DrawnRun) => readonly Step[];

/** Returns the habits of a run, each with how often it is drawn. */
export function habitsFor({ setup, policies }: DrawnRun): readonly (readonly [weight: number, habit: Habit])[] {
  const kinds = kindsOf(setup.store);
  // What a habit is most likely to wear out. It is drawn so many times as often in runs that have it.
  const timesAsOften: Readonly<Record<string, number>> = {
    ...(kinds.includes('synced') && { estimating: 3 }),
    ...(kinds.includes('leased') && { estimating: 6 }),
    ...(kinds.includes('sharded') && policies.some(({ fewest, most }) => fewest < most) && { pressing: 12 }),
    ...(policies.some(({ takesSlots }) => takesSlots) && { retrying: 6 }),
    ...(kinds.includes('memory') && { clearingUp: 3 }),
  };
  return Object.entries(HABITS).map(([name, [weight, habit]]) => [weight * (timesAsOften[name] ?? 1), habit]);
}

/** By name, with how often each is drawn in runs that have nothing special. */
const HABITS: Readonly<Record<string, readonly [weight: number, habit: Habit]>> = {
  steady: [4, steady],
  bursts: [8, bursts],
  crowds: [6, crowds],
  collisions: [18, collisions],
  pressing: [14, pressing],
  retrying: [14, retrying],
  impatient: [4, impatient],
  handingOver: [10, handingOver],
  reserving: [10, reserving],
  clearingUp: [48, clearingUp],
  estimating: [20, estimating],
  waiting: [4, waiting],
  running: [4, running],
  correcting: [5, correcting],
  administering: [4, administering],
  replacing: [6, replacing],
  closing: [4, closing],
  cheating: [3, cheating],
  flooding: [2, flooding],
  obeying: [4, obeying],
  peeking: [3, peeking],
};
