import { join } from 'node:path';
import type { ScratchCheckout } from '../scratch/scratch-checkout.js';
import { JestRuns } from './jest-run.js';
import { commandStage, type Stage } from './stage.js';
import { TEST_STAGES, testStages } from './test-stages.js';
import { testsOf } from './tests-of.js';

/** The names that a person chooses from. */
export const STAGE_NAMES: readonly string[] = ['quick', ...TEST_STAGES, 'long'];

/** What a person says about stages. */
interface StageOptions {
  /** Where the runs of tests keep what they learn. */
  readonly folder: string;
  /** The command of the stage `quick`. Absent: there is none. */
  readonly quick?: string | undefined;
  /** The command of the stage `long`. Absent: there is none. */
  readonly long?: string | undefined;
  /** Names with commas between them. Absent: all stages. */
  readonly stages?: string | undefined;
  print(line: string): void;
}

/**
 * Returns the stages in their order: the cheapest first.
 *
 * @throws Error for the name of a stage that there is not
 */
export function chosenStages(
  checkout: ScratchCheckout,
  { folder, quick, long, stages, print }: StageOptions,
): readonly Stage[] {
  const jest = new JestRuns(
    { cacheFolder: join(folder, 'jest-cache'), timesFile: join(folder, 'test-times.json') },
    print,
  );
  // The simulation changes nothing that the tests of other packages do.
  if (checkout.changed.some((file) => !file.startsWith('packages/simulation/'))) jest.forget();
  const tests = testStages(testsOf(checkout.root), jest);
  const all = [
    ...(quick === undefined ? [] : [commandStage('quick', ['sh', '-c', quick])]),
    tests['direct tests'],
    tests['folder tests'],
    tests.suites,
    ...(long === undefined ? [] : [commandStage('long', ['sh', '-c', long])]),
    tests['package tests'],
  ];
  const names = stages?.split(',').map((name) => name.trim());
  const stranger = names?.find((name) => !all.some((stage) => stage.name === name));
  if (stranger !== undefined)
    throw new Error(`There is no stage "${stranger}". There are: ${all.map(({ name }) => name).join(', ')}`);
  return names ? all.filter(({ name }) => names.includes(name)) : all;
}
