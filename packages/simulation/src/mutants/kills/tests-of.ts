import { isLua } from '../sources.js';
import { type TestFile, testFilesOf } from './imports.js';

/** Which tests try a file. */
export interface TestsOf {
  /** Those that import the file itself, or of a Lua file those that run it in a Redis. */
  direct(file: string): string[];
  /** Those in the folder of tests that stands for the file's folder. None for files in no folder of their package. */
  folder(file: string): string[];
  /** Those that run the shared suites of stores and limiters on what the file is part of. */
  suites(file: string): string[];
  /** All of the file's package. */
  ofPackage(file: string): string[];
}

/** The suites that every store, or every way to count, has to pass. */
const SUITES = /\b(storeSuite|operationSuite|chargeSuite|guaranteeSuite|replacementSuite)\b/;

/** Whose suites run which code. A limiter counts alike in every store, and PostgreSQL is the slowest of them. */
const SUITES_OF: readonly (readonly [folder: string, packages: readonly string[]])[] = [
  ['packages/core/src/limiter/', ['core', 'redis']],
  ['packages/core/', ['core', 'remote', 'distributed', 'redis', 'postgres']],
  ['packages/remote/', ['core', 'remote', 'distributed', 'redis', 'postgres']],
  ['packages/distributed/', ['core', 'distributed', 'redis', 'postgres']],
  ['packages/redis/', ['redis']],
  ['packages/postgres/', ['postgres']],
];

/** Algorithms are tried by tests of what holds for each of them. */
const PROPERTIES_OF = 'packages/core/src/algorithms/';
const PROPERTIES = 'packages/core/test/properties/';

const REDIS_TESTS = 'packages/redis/test/';
const FAULTS = 'packages/redis/test/faults/';
const REDIS = 'packages/test-kit/src/redis/';

/** Finds the tests of a checkout. */
export function testsOf(root: string): TestsOf {
  const tests = testFilesOf(root);
  const paths = (isWanted: (test: TestFile) => boolean): string[] => tests.filter(isWanted).map(({ path }) => path);
  const runsScripts = ({ path, imports }: TestFile): boolean =>
    path.startsWith(REDIS_TESTS) && !path.startsWith(FAULTS) && [...imports].some((file) => file.startsWith(REDIS));
  return {
    direct: (file) => paths(isLua(file) ? runsScripts : ({ imports }) => imports.has(file)),
    folder(file) {
      const [, name, own = ''] = /^packages\/(\w+)\/src(\/.+)?\/[^/]+$/.exec(file) ?? [];
      const properties = file.startsWith(PROPERTIES_OF) ? PROPERTIES : undefined;
      return paths(({ path }) => isDirectlyIn(`packages/${name}/test${own}`, path) || isIn(properties, path));
    },
    suites(file) {
      const [, packages = []] = SUITES_OF.find(([folder]) => file.startsWith(folder)) ?? [];
      return paths(({ path, text }) => packages.includes(path.split('/')[1] ?? '') && SUITES.test(text));
    },
    ofPackage(file) {
      const folder = file.split('/').slice(0, 2).join('/');
      return paths(({ path }) => path.startsWith(`${folder}/test/`));
    },
  };
}

const isDirectlyIn = (folder: string, path: string): boolean => path.replace(/\/[^/]+$/, '') === folder;

const isIn = (folder: string | undefined, path: string): boolean => folder !== undefined && path.startsWith(folder);
