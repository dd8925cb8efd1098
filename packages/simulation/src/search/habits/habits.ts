import type { Step } from '../../tape/tape.js';
import type { Plan } from '../drawing/plan.js';
import { administering, closing, correcting, replacing } from './administration.js';
import { handingOver, impatient, retrying } from './repeats.js';
import { clearingUp, estimating, reserving, running, waiting } from './reserving.js';
import { bursts, cheating, collisions, crowds, flooding, obeying, peeking, steady } from './traffic.js';

/** A way in which applications use a limiter, for a while. A tape is a mixture of them. */
export type Habit = (plan: Plan) => readonly Step[];

/** By name, with how often each is drawn. */
export const HABITS: Readonly<Record<string, readonly [weight: number, habit: Habit]>> = {
  steady: [8, steady],
  bursts: [12, bursts],
  crowds: [8, crowds],
  collisions: [18, collisions],
  retrying: [10, retrying],
  impatient: [4, impatient],
  handingOver: [8, handingOver],
  reserving: [10, reserving],
  clearingUp: [28, clearingUp],
  estimating: [18, estimating],
  waiting: [5, waiting],
  running: [4, running],
  correcting: [5, correcting],
  administering: [5, administering],
  replacing: [6, replacing],
  closing: [4, closing],
  cheating: [5, cheating],
  flooding: [2, flooding],
  obeying: [5, obeying],
  peeking: [4, peeking],
};
