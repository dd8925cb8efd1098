/** Returns the name that a word probably means: one that differs in few letters. Undefined if none is so near. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  let [best, least]: [string | undefined, number] = [undefined, Math.max(1, Math.floor(word.length / 3)) + 1];
  if (word.length > 128) return undefined;
  for (const name of names) {
    if (Math.abs(name.length - word.length) >= least) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/**
 * Returns how many letters have to be changed, added, removed or exchanged with their neighbour.
 *
 * After Damerau, "A technique for computer detection and correction of spelling errors", Communications of the ACM 7(3), 1964.
 */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j - 1] as number) + change, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isExchange) least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length] as number;
}
