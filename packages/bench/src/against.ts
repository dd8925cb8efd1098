import { buildBench, checkOut, REPOSITORY } from './base-checkout.js';
import { PROGRAM } from './child-process.js';
import {
  compareBoth,
  comparisonTable,
  type Figure,
  isWorse,
  type Measure,
  MissingInBase,
  type Rounds,
  type Side,
} from './comparison.js';
import { MEASURES } from './measures/index.js';
import type { Scale } from './scale.js';
import { markdown } from './table.js';

/**
 * Compares this checkout with an older commit, section by section, and prints a table for each. Returns the names of the
 * figures that got worse by more than their spread.
 *
 * @throws Error if nothing could be compared
 */
export async function compareWith(
  ref: string,
  sections: readonly string[],
  scale: Scale,
  print: (text: string) => void,
): Promise<readonly string[]> {
  const base = await checkOut(REPOSITORY, ref);
  try {
    print(`base: ${base.title}\n`);
    const programs = { now: PROGRAM, base: await buildBench(base.folder) };
    // A process of this checkout cannot run the code of another one.
    const apart = { ...scale, hasProcesses: true };
    const measures = new Map(sections.map((section) => [section, MEASURES.get(section)?.(apart) ?? []]));
    return await compare(measures, programs, scale.pairs, print);
  } finally {
    await base.remove();
  }
}

/**
 * Compares two child programs by the measures of each section.
 *
 * @throws Error if the base can run none of them
 */
export async function compare(
  measures: ReadonlyMap<string, readonly Measure[]>,
  programs: Readonly<Record<Side, string>>,
  rounds: number,
  print: (text: string) => void,
): Promise<readonly string[]> {
  const worse: string[] = [];
  let compared = 0;
  for (const [section, list] of measures) {
    const { results, skipped } = await compareSection(list, programs, rounds);
    compared += results.size;
    if (results.size === 0) print(`${section}: skipped, because the base cannot run it: ${skipped[0]?.reason}\n`);
    else print(`${markdown(comparisonTable(section, results, skipped.map(noteOf)))}\n`);
    worse.push(...[...results].filter(([, both]) => isWorse(both)).map(([{ name }]) => `${section}: ${name}`));
  }
  if (compared === 0) throw new Error('The base can run nothing of this');
  return worse;
}

interface Skipped {
  readonly figures: readonly Figure[];
  readonly reason: string;
}

async function compareSection(
  measures: readonly Measure[],
  programs: Readonly<Record<Side, string>>,
  rounds: number,
): Promise<{ results: ReadonlyMap<Figure, Rounds>; skipped: readonly Skipped[] }> {
  const results = new Map<Figure, Rounds>();
  const skipped: Skipped[] = [];
  for (const measure of measures) {
    try {
      for (const [figure, both] of await compareBoth(measure, programs, rounds)) results.set(figure, both);
    } catch (error) {
      if (!(error instanceof MissingInBase)) throw error;
      skipped.push({ figures: measure.figures, reason: error.message });
    }
  }
  return { results, skipped };
}

const noteOf = ({ figures, reason }: Skipped): string =>
  `Skipped, because the base cannot run it: ${figures.map(({ name }) => name).join(', ')}: ${reason}`;
