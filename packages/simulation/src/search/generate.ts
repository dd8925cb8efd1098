import type { Step, Tape } from '../tape/tape.js';
import { DrawnRun } from './drawing/drawn-run.js';
import { Draws } from './drawing/draws.js';
import { drawFaults } from './drawing/faults.js';
import { withPlans } from './drawing/model-plans.js';
import { drawSetup, LONGEST_DRAWN_MS } from './drawing/setup.js';
import { FAULT_SET_NAMES, FAULT_SETS, type FaultSetName } from './fault-sets.js';
import { type Habit, habitsFor } from './habits/habits.js';
import { modelCalling } from './habits/model-calls.js';

export interface GenerateOptions {
  /** What may go wrong. Default: the seed decides. */
  readonly faults?: FaultSetName;
  /** How many versions of the code there are. Only a deployment uses more than one. Default: 1. */
  readonly codes?: number;
}

const FEWEST_STEPS = 12;
const MOST_STEPS = 120;

/** The part of runs that are so many times as long: what grows by and by is seen there. */
const LONG_LIVES = 0.02;
const TIMES_AS_LONG = 10;

/** Makes the tape of a seed. The same seed and options make the same tape. */
export function generateTape(seed: number, options: GenerateOptions = {}): Tape {
  const draws = new Draws(seed);
  const name = faultSetOf(seed, options);
  const conditions = { faults: FAULT_SETS[name], codes: options.codes ?? 1 };
  const chance = draws.happens(0.15) ? 0 : draws.seed();
  // Their own draws: the other tapes stay what they are.
  const usual = withPlans(new Draws(seed ^ 0x2545f491), drawSetup(draws, conditions));
  const times = new Draws(seed ^ 0x1b873593).happens(LONG_LIVES) ? TIMES_AS_LONG : 1;
  const setup = { ...usual, lastsMs: Math.min(LONGEST_DRAWN_MS, usual.lastsMs * times) };
  const run = new DrawnRun(draws, setup);
  const wanted = draws.scaled(FEWEST_STEPS, MOST_STEPS) * times;
  const habits = favouriteHabits(run);
  const steps: Step[] = [];
  for (let load = 0; load < wanted; ) {
    const more = draws.weighted(habits)(run);
    run.remember(more);
    steps.push(...more);
    load += loadOf(more);
  }
  const called = modelCalling(run);
  run.remember(called);
  steps.push(...called);
  steps.push(...drawFaults(run, conditions));
  return { version: 1, chance, setup, steps: inTime(steps, setup.lastsMs) };
}

/** Returns what may go wrong in the run of a seed. */
export function faultSetOf(seed: number, { faults }: GenerateOptions = {}): FaultSetName {
  if (faults !== undefined) return faults;
  // Its own draws: a seed makes the same tape whether its fault set was named or not.
  const draws = new Draws(seed ^ 0x5f3759df);
  return draws.happens(0.35) ? 'none' : draws.of(FAULT_SET_NAMES);
}

/** Steps with many calls count more, so that all runs take a similar time. */
function loadOf(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + 1 + ('times' in step ? (step.times ?? 1) / 3 : 0), 0);
}

/** A run in which few habits meet often shows more than one with a little of everything. */
function favouriteHabits(run: DrawnRun): readonly (readonly [number, Habit])[] {
  const { draws } = run;
  const all = habitsFor(run);
  if (draws.happens(0.2)) return all;
  const count = draws.whole(1, 3);
  return Array.from({ length: count }, () => [1, draws.weighted(all)] as const);
}

/** Sorts steps by their times. Those of one moment stay in their order. What would come after the end is left out. */
function inTime(steps: readonly Step[], lastsMs: number): readonly Step[] {
  return steps.filter(({ atMs }) => atMs <= lastsMs).sort((a, b) => a.atMs - b.atMs);
}
