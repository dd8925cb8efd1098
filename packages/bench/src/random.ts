/** Numbers from 0 to 1, the same for every contender: Marsaglia's xorshift. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

/** Draws 0 to `count` - 1, the first most often: the one at place n with a weight of 1/n. */
export function zipfOf(count: number, random: () => number): () => number {
  const sums = new Float64Array(count);
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    total += 1 / (index + 1);
    sums[index] = total;
  }
  return () => {
    const drawn = random() * total;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
