import type { Checker } from './checker.js';
import { MOST_PER_HOUR, type SampleKind, type Slope, tooSteep } from './growth.js';
import type { Answers, Load } from './load.js';

/** So many failures of requests are shown. */
const MOST_SHOWN = 20;

/** What a soak has seen. */
export interface SoakResult {
  readonly tookMs: number;
  readonly rate: number;
  readonly seed: number;
  readonly load: Load;
  readonly checker: Checker;
  /** How often each fault was injected, by its name. */
  readonly faults: Readonly<Record<string, number>>;
  readonly policyChanges: number;
  /** How many processors the programs took on average. */
  readonly processors: number;
  /** Empty if the run was too short. */
  readonly slopes: readonly Slope[];
  /** What could not be judged for want of samples. */
  readonly unjudged: readonly SampleKind[];
  /** What else is wrong. */
  readonly failures: readonly string[];
}

/** A row that is printed while the soak runs. */
export function rowOf(afterMs: number, sample: string, { admitted, refused, unavailable }: Answers): string {
  return `soak: after ${timeOf(afterMs)}: ${sample}; ${admitted + refused + unavailable} answers`;
}

/** The lines that are printed at the end. */
export function linesOf(result: SoakResult): readonly string[] {
  const { tookMs, rate, seed, load, checker, faults, policyChanges, processors, slopes } = result;
  const { admitted, refused, unavailable } = load.answers;
  const injected = Object.entries(faults).map(([name, count]) => `${count} × ${name}`);
  const rises = slopes.map(
    ({ of, quantity, perHour, error }) => `${of} ${quantity} ${perHour.toFixed(2)} ± ${error.toFixed(2)}`,
  );
  return [
    `${timeOf(tookMs)} at ${rate} requests a second, seed ${seed}: ${admitted} admitted, ${refused} refused, ${unavailable} refused without a store, ${load.failures.length} failed; the slowest answer took ${Math.round(load.slowestMs)} ms`,
    `faults: ${injected.join(', ')}; ${policyChanges} changes of the policy files`,
    `${checker.excesses.length} windows above what is promised; the most that was used of a promise is ${(100 * checker.mostUsed).toFixed(0)} %`,
    `the servers took ${processors.toFixed(3)} of a processor`,
    `rise in an hour: ${rises.length > 0 ? rises.join('; ') : 'not judged, since the run is too short'}`,
  ].map((line) => `soak: ${line}`);
}

/** What is wrong; nothing if the soak has passed. */
export function failuresOf({ load, checker, slopes, unjudged, failures }: SoakResult): readonly string[] {
  return [
    ...failures,
    ...load.failures.slice(0, MOST_SHOWN),
    ...checker.excesses.map(
      ({ counter, admitted, promised, requests }) =>
        `${counter}: ${admitted} admitted in a window, promised ${promised}: ${JSON.stringify(requests)}`,
    ),
    ...unjudged.map(({ of, quantity }) => `${quantity} of ${of} has too few samples to say how fast it rises`),
    ...tooSteep(slopes).map(
      ({ of, quantity, perHour }) =>
        `${quantity} of ${of} rises by ${perHour.toFixed(2)} in an hour, above ${MOST_PER_HOUR[quantity]}`,
    ),
  ];
}

function timeOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 5) return `${Math.round(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
