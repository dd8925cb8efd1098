const HOUR_MS = 3_600_000;

/** What is looked at, and by how much it may rise in an hour. */
export const MOST_PER_HOUR = { heapMb: 1, handles: 2, timers: 2, keys: 50 } as const;

export type Quantity = keyof typeof MOST_PER_HOUR;

/** What a process or a server had at a time. */
export interface Sample {
  readonly atMs: number;
  /** A process, or `redis`. */
  readonly of: string;
  readonly quantity: Quantity;
  readonly value: number;
}

/** What is looked at, and of whom. */
export type SampleKind = Pick<Sample, 'of' | 'quantity'>;

/** How fast a quantity rises. */
export interface Slope {
  readonly of: string;
  readonly quantity: Quantity;
  readonly perHour: number;
  /** The standard error of `perHour`. */
  readonly error: number;
}

/** Caches and compiled code fill in the first part of a run, and for at most so long: a server with few requests takes an hour. */
const WARM_UP_PART = 1 / 2;
const MOST_WARM_UP_MS = HOUR_MS;

/** A shorter run says nothing about an hour. */
const LEAST_JUDGED_MS = 10 * 60_000;
const LEAST_SAMPLES = 8;

/** The true rise is below this many standard errors under the measured one in one of a thousand runs. */
const CERTAIN_ERRORS = 3;

/**
 * Fits a straight line through what came after the warm-up of a run.
 *
 * @returns nothing if the run is too short
 */
export function slopesOf(samples: readonly Sample[], startMs: number, endMs: number): Slope[] {
  return judged(samples, startMs, endMs)
    .filter((own) => own.length >= LEAST_SAMPLES)
    .map((own) => ({ ...whoseOf(own), ...lineThrough(own) }));
}

/** What has too few samples for a line, although the run is long enough. Nobody knows how fast it rises. */
export function tooSeldom(samples: readonly Sample[], startMs: number, endMs: number): readonly SampleKind[] {
  return judged(samples, startMs, endMs)
    .filter((own) => own.length < LEAST_SAMPLES)
    .map(whoseOf);
}

/** Returns what came after the warm-up, by what it is; nothing if the run is too short. */
function judged(samples: readonly Sample[], startMs: number, endMs: number): readonly (readonly Sample[])[] {
  const fromMs = startMs + Math.min(MOST_WARM_UP_MS, (endMs - startMs) * WARM_UP_PART);
  if (endMs - fromMs < LEAST_JUDGED_MS) return [];
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const name = `${sample.of} ${sample.quantity}`;
    if (sample.atMs >= fromMs) series.set(name, [...(series.get(name) ?? []), sample]);
  }
  return [...series.values()];
}

function whoseOf(samples: readonly Sample[]): SampleKind {
  const [{ of, quantity }] = samples as [Sample];
  return { of, quantity };
}

/** The slope of the line of least squares, and its standard error. */
function lineThrough(samples: readonly Sample[]): { perHour: number; error: number } {
  const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const meanHours = meanOf(samples.map(({ atMs }) => atMs / HOUR_MS));
  const mean = meanOf(samples.map(({ value }) => value));
  const sumOf = (each: (hours: number, value: number) => number): number =>
    samples.reduce((sum, { atMs, value }) => sum + each(atMs / HOUR_MS - meanHours, value - mean), 0);
  const squares = sumOf((hours) => hours * hours);
  const perHour = sumOf((hours, value) => hours * value) / squares;
  const rest = sumOf((hours, value) => (value - perHour * hours) ** 2);
  return { perHour, error: Math.sqrt(rest / (samples.length - 2) / squares) };
}

/** Those that rise faster than they may, beyond what chance explains. */
export function tooSteep(slopes: readonly Slope[]): readonly Slope[] {
  return slopes.filter(({ quantity, perHour, error }) => perHour - CERTAIN_ERRORS * error > MOST_PER_HOUR[quantity]);
}
