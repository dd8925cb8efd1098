/** A number from the exponential distribution of this mean: the time between arrivals that do not know of each other. */
export function exponential(mean: number, random: () => number): number {
  // 1 - random() is never 0.
  return -mean * Math.log(1 - random());
}
