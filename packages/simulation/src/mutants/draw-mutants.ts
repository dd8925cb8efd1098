import { createHash } from 'node:crypto';
import { type Mutant, overlap } from './mutant.js';
import { checkoutRoot, mutantsOfFile, sourceFiles } from './sources.js';

/** What to draw. */
export interface Draw {
  readonly seed: number;
  readonly count: number;
  /** The root of the checkout. Default: that of the current folder. */
  readonly root?: string;
}

/** More mutants of one function would tell the same several times. */
const MOST_OF_A_FUNCTION = 3;

/**
 * Chooses mutants of the whole code: always the same for the same seed and code. Each file gets a share in proportion to
 * its possible mutants. No two change the same place. If one file changes, most mutants of the others stay the same.
 */
export function drawMutants({ seed, count, root = checkoutRoot() }: Draw): Mutant[] {
  return chosenFrom(
    sourceFiles(root).map((file) => mutantsOfFile(root, file)),
    { seed, count },
  );
}

/** Chooses from the possible mutants, which are given by file. */
export function chosenFrom(byFile: readonly (readonly Mutant[])[], { seed, count }: Omit<Draw, 'root'>): Mutant[] {
  const ranked = byFile.map((mutants) => inOrderOf(seed, mutants));
  const chosen: Mutant[] = [];
  const choose = (mutants: readonly Mutant[], most: number): void => {
    const end = chosen.length + most;
    for (const mutant of mutants) {
      if (chosen.length >= end) return;
      if (fits(mutant, chosen)) chosen.push(mutant);
    }
  };
  const parts = proportionally(
    count,
    ranked.map(({ length }) => length),
  );
  for (const [i, mutants] of ranked.entries()) choose(mutants, parts[i] ?? 0);
  // Small files cannot always give their part.
  choose(inOrderOf(seed, ranked.flat()), count - chosen.length);
  return chosen.toSorted((a, b) => (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1));
}

/** By a hash of their ids, so that a mutant's rank does not depend on the others. */
function inOrderOf(seed: number, mutants: readonly Mutant[]): Mutant[] {
  const rankOf = ({ id }: Mutant): string => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return mutants
    .map((mutant) => ({ mutant, rank: rankOf(mutant) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
}

function fits(mutant: Mutant, chosen: readonly Mutant[]): boolean {
  const ofFile = chosen.filter(({ file }) => file === mutant.file);
  const ofFunction = ofFile.filter(({ within }) => within === mutant.within);
  return ofFunction.length < MOST_OF_A_FUNCTION && !ofFile.some((other) => overlap(mutant, other));
}

/** Splits a count into whole parts in proportion to weights: the largest remainders get what rounding leaves. */
function proportionally(count: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const exact = weights.map((weight) => (count * weight) / total);
  const parts = exact.map(Math.floor);
  const left = count - parts.reduce((sum, part) => sum + part, 0);
  const byRemainder = exact
    .map((value, i) => ({ i, remainder: value - Math.floor(value) }))
    .toSorted((a, b) => b.remainder - a.remainder);
  for (const { i } of byRemainder.slice(0, left)) parts[i] = (parts[i] ?? 0) + 1;
  return parts;
}
