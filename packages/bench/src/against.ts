import { buildBench, checkOut, REPOSITORY } from './base-checkout.js';
import { PROGRAM } from './child-process.js';
import { comparisonTable, isWorse, type Measure, measureBoth, type Rounds } from './comparison.js';
import { MEASURES } from './measures.js';
import type { Scale } from './scale.js';
import { markdown } from './table.js';

/**
 * Compares this checkout with an older commit, section by section, and prints a table for each. Returns the names of the
 * figures that got worse by more than their spread.
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
    const worse: string[] = [];
    for (const section of sections) {
      const results = new Map<Measure, Rounds>();
      for (const measure of MEASURES.get(section)?.(scale) ?? []) {
        const rounds = await measureBoth(measure, programs, scale.rounds);
        results.set(measure, rounds);
        if (isWorse(rounds)) worse.push(`${section}: ${measure.name}`);
      }
      print(`${markdown(comparisonTable(section, results))}\n`);
    }
    return worse;
  } finally {
    await base.remove();
  }
}
