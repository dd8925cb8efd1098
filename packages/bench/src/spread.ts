/** The median of what rounds gave, and how well they know it. */
export interface Spread {
  readonly median: number;
  /** The ends of the interval that contains the true median with a certainty of 95 %. */
  readonly least: number;
  readonly most: number;
}

/** Half the width of a normal distribution's middle 95 %, in standard deviations. */
const DEVIATIONS = 1.96;

/**
 * The median of values, and the interval around it that contains the true median with a certainty of 95 %, whatever the
 * distribution. The interval gets narrower with more values, and outliers do not widen it. With fewer than eight values, it
 * goes from the least to the most of them.
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const last = sorted.length - 1;
  // The number of values below the true median has a binomial distribution.
  const outside = Math.max(0, Math.floor((sorted.length - DEVIATIONS * Math.sqrt(sorted.length)) / 2));
  return {
    median: (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2,
    least: at(outside),
    most: at(last - outside),
  };
}

/** Round by round, against what the same round gave for the other. */
export function ratios(values: readonly number[], others: readonly number[]): Spread {
  return spreadOf(values.map((value, round) => value / (others[round] as number)));
}

/** Round by round, how much more than the same round gave for the other. */
export function differences(values: readonly number[], others: readonly number[]): Spread {
  return spreadOf(values.map((value, round) => value - (others[round] as number)));
}
