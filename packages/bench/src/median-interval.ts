import { type Spread, spreadOf } from './rounds.js';

/** Half the width of a normal distribution's middle 95 %, in standard deviations. */
const DEVIATIONS = 1.96;

/**
 * The median of values, and the interval around it that contains the true median with a certainty of 95 %, whatever the
 * distribution. The interval gets narrower with more values, and outliers do not widen it.
 */
export function medianInterval(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  // The number of values below the true median has a binomial distribution.
  const outside = Math.max(0, Math.floor((sorted.length - DEVIATIONS * Math.sqrt(sorted.length)) / 2));
  return {
    median: spreadOf(sorted).median,
    least: sorted[outside] ?? Number.NaN,
    most: sorted[sorted.length - 1 - outside] ?? Number.NaN,
  };
}
