import { processorMs } from '../processor-time.js';

/** About a millisecond: as much as a request takes at once. The compiler treats one long call differently. */
const PIECE_STEPS = 500_000;
const PIECES = 20;
const CALIBRATIONS = 15;

let sink = 1;

/**
 * Takes so many steps on the processor. Work is counted in steps, not in time: a process that stands still meanwhile must
 * not get its work done by that.
 */
export function work(steps: number): void {
  let state = sink;
  for (let step = 0; step < steps; step += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  // Without a use, the compiler may leave the loop out.
  sink = state;
}

/** Measures how many steps take a millisecond of the processor here: the best of several tries. */
export function stepsPerMs(): number {
  let best = 0;
  for (let round = 0; round < CALIBRATIONS; round += 1) {
    const startMs = processorMs();
    for (let piece = 0; piece < PIECES; piece += 1) work(PIECE_STEPS);
    best = Math.max(best, (PIECES * PIECE_STEPS) / (processorMs() - startMs));
  }
  return best;
}
