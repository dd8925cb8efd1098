/** A number from the exponential distribution of this mean: the time between arrivals that do not know of each other. */
export function exponential(mean: number, random: () => number): number {
  // 1 - random() is never 0.
  return -mean * Math.log(1 - random());
}

const CARDS = 200;

/**
 * Draws work from the exponential distribution of this mean, as from a pack of cards: each of its quantiles comes once before any comes
 * again. So two stretches of a second have equal work but for a few in a hundred. Of independent numbers, the means of 200 differ by a
 * tenth, which is more than what is to be measured.
 */
export function exponentialWork(mean: number, random: () => number): () => number {
  const quantiles = Array.from({ length: CARDS }, (_, i) => -Math.log(1 - (i + 0.5) / CARDS));
  const scale = (mean * CARDS) / quantiles.reduce((sum, quantile) => sum + quantile, 0);
  let left = 0;
  return () => {
    if (left === 0) left = CARDS;
    // Takes any card of those that are left, and puts it aside.
    const index = Math.floor(random() * left);
    left -= 1;
    const drawn = quantiles[index] as number;
    quantiles[index] = quantiles[left] as number;
    quantiles[left] = drawn;
    return scale * drawn;
  };
}
