import type { JestRuns } from './jest-run.js';
import type { Stage } from './stage.js';
import type { TestsOf } from './tests-of.js';

/** The names of the stages that run tests, in their order: the cheapest first. */
export const TEST_STAGES = ['direct tests', 'folder tests', 'suites', 'package tests'] as const;

type TestStageName = (typeof TEST_STAGES)[number];

/** Stages that run tests. None runs what an earlier one has run for the same file. */
export function testStages(tests: TestsOf, jest: JestRuns): Readonly<Record<TestStageName, Stage>> {
  const direct = (file: string): string[] => tests.direct(file);
  const folder = (file: string): string[] => without(tests.folder(file), tests.direct(file));
  const suites = (file: string): string[] =>
    without(tests.suites(file), [...tests.direct(file), ...tests.folder(file)]);
  const others = (file: string): string[] =>
    without(tests.ofPackage(file), [...tests.direct(file), ...tests.folder(file), ...tests.suites(file)]);
  return {
    'direct tests': testStage('direct tests', direct, jest),
    'folder tests': testStage('folder tests', folder, jest),
    suites: testStage('suites', suites, jest),
    'package tests': testStage('package tests', others, jest),
  };
}

function testStage(name: TestStageName, testsFor: (file: string) => string[], jest: JestRuns): Stage {
  return {
    name,
    prepare: (checkout, files, signal) => jest.measure(checkout, [...new Set(files.flatMap(testsFor))], signal),
    tasksFor: (file) => jest.tasksOf(testsFor(file)),
  };
}

const without = (tests: readonly string[], others: readonly string[]): string[] =>
  tests.filter((test) => !others.includes(test));
