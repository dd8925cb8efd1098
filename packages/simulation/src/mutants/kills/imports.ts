import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** What the tests of all packages import: shared suites and tools. */
const TEST_KIT = '@sluice/test-kit/';

/** A file inside a package that is published, or of a private one. */
const INSIDE = /^@sluice\/(\w+(?=\/src\/)|remote|http|overload|distributed)\/(?:src\/)?(.+)$/;

/** A test file, and the files that it imports, directly or through files that only tests use. */
export interface TestFile {
  /** Its path from the root of the checkout. */
  readonly path: string;
  readonly text: string;
  readonly imports: ReadonlySet<string>;
}

/** All tests of the packages, except those of the simulation, which is a stage of its own. */
export function testFilesOf(root: string): TestFile[] {
  const importsOf = importReader(root);
  return readdirSync(join(root, 'packages'))
    .filter((name) => name !== 'simulation' && existsSync(join(root, 'packages', name, 'test')))
    .flatMap((name) => testsIn(root, `packages/${name}/test`))
    .map((path) => ({
      path,
      text: readFileSync(join(root, path), 'utf8'),
      imports: reachedFrom(path, importsOf),
    }));
}

function testsIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .toSorted();
}

type ImportsOf = (file: string) => readonly string[];

/** Follows imports through the files of tests. What a package exports is reached, but not followed. */
function reachedFrom(file: string, importsOf: ImportsOf): Set<string> {
  const reached = new Set<string>();
  const visit = (from: string): void => {
    for (const target of importsOf(from)) {
      if (reached.has(target)) continue;
      reached.add(target);
      if (isOfTests(target)) visit(target);
    }
  };
  visit(file);
  return reached;
}

const isOfTests = (file: string): boolean => file.startsWith('packages/test-kit/src/') || file.includes('/test/');

/** Reads the imports of a file, each file once. Those of types alone run nothing. */
function importReader(root: string): ImportsOf {
  const known = new Map<string, readonly string[]>();
  return (file) => {
    const before = known.get(file);
    if (before) return before;
    const path = join(root, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const found = [...text.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?'([^']+)';|\bimport\('([^']+)'\)/gm)].flatMap(
      ([, first, second]) => targetOf(file, first ?? second ?? ''),
    );
    known.set(file, found);
    return found;
  };
}

/** The source file that a name in an import stands for, if it is one of a package's or of the test kit's files. */
function targetOf(file: string, name: string): readonly string[] {
  if (name.startsWith('.')) return [posix.join(dirname(file), name).replace(/\.js$/, '.ts')];
  if (name.startsWith(TEST_KIT)) return [`packages/test-kit/src/${name.slice(TEST_KIT.length)}.ts`];
  const [, own, path] = INSIDE.exec(name) ?? [];
  return own ? [`packages/${own}/src/${path}.ts`] : [];
}
