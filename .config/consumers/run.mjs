// Installs packed packages into projects of users, one for each way to load them, and runs the tests of these.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { install } from './install.mjs';
import { CONSUMERS } from './table.mjs';

/** Ends what hangs. A machine with much else to do takes minutes. */
const LIMIT_MS = 600_000;

const npm = promisify(execFile);
const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Writes each `import` of a module as the `require` that somebody would write in its place. */
const asCommonJs = (code) =>
  code
    .replaceAll(/^import (?:\* as )?(.+) from ('.+');$/gm, 'const $1 = require($2);')
    .replaceAll(/^import ('.+');$/gm, 'require($1);');

/** Jest has `test` as a global function, and runs nothing of `node:test`. */
const withoutNodeTest = (code) => code.replace(/^const test = require\('node:test'\);\n/m, '');

/** What runs the tests in the folder of the same name: all in one process, which loads each package once. */
const RUNNERS = {
  node: 'node node/all.js',
  jest: 'node node_modules/jest/bin/jest.js jest',
  types: 'node node_modules/typescript/bin/tsc --project types',
};

/** What compiles `types` again, with the oldest compiler that our declarations are for. */
const OLDEST_TYPES = `node ${pathOf('oldest-types.mjs')}`;

/** How an application or a library has its types checked. Our declarations are checked as well. */
const TSCONFIG = {
  compilerOptions: {
    // The oldest compiler knows the library of ES2023, and no target of that name.
    target: 'es2022',
    lib: ['es2023'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    // What a library exports has to have types that it can name.
    declaration: true,
    types: ['node'],
    experimentalDecorators: true,
  },
};

/** Returns the code of a program that runs tests one after another. */
function programOf(tests, type) {
  const load = (name) => (type === 'module' ? `import './${name}.test.js';` : `require('./${name}.test.js');`);
  return tests.map((name) => `${load(name)}\n`).join('');
}

/** Returns the name of a test's file in the project. */
const fileOf = (test, runner) => (runner === 'types' ? `${basename(test)}.ts` : `${basename(test)}.test.js`);

/** Returns the code of a test, as a consumer would have written it. */
async function codeOf(test, runner, type) {
  if (runner === 'types') return readFile(pathOf(`tests/${test}.ts`), 'utf8');
  // Those for Jest alone are as they are to run.
  if (test.startsWith('jest/')) return readFile(pathOf(`tests/${test}.test.js`), 'utf8');
  const code = await readFile(pathOf(`tests/${test}.test.mjs`), 'utf8');
  const written = type === 'module' ? code : asCommonJs(code);
  return runner === 'jest' ? withoutNodeTest(written) : written;
}

/** Writes the project of a consumer of packs into a folder, and the limits that its tests check. */
async function write(name, folder, packs, limits) {
  const { description, type, tests, nest, hasOldestTypes } = CONSUMERS[name];
  const versions = packs.map((pack) => [pack.packageName, pack.packageVersion]);
  const dependencies = { ...CONSUMERS[name].dependencies, ...Object.fromEntries(versions) };
  const test = [...Object.keys(tests).map((runner) => RUNNERS[runner]), ...(hasOldestTypes ? [OLDEST_TYPES] : [])];
  const manifest = {
    name: `@sluice/consumer-${name}`,
    private: true,
    description,
    type,
    scripts: { test: test.join(' && ') },
    dependencies,
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'limits.json'), JSON.stringify(limits));
  await copyFile(pathOf('brought.json'), join(folder, 'brought.json'));
  for (const [runner, files] of Object.entries(tests)) {
    await mkdir(join(folder, runner));
    for (const file of files) {
      await writeFile(join(folder, runner, fileOf(file, runner)), await codeOf(file, runner, type));
    }
  }
  if (tests.node) await writeFile(join(folder, 'node/all.js'), programOf(tests.node, type));
  if (tests.types) await writeFile(join(folder, 'types/tsconfig.json'), JSON.stringify(TSCONFIG));
  install(folder, packs, dependencies, (dependency) => (dependency.startsWith('@nestjs/') ? nest : '.'));
}

async function seconds(work) {
  const startMs = performance.now();
  await work();
  return ((performance.now() - startMs) / 1000).toFixed(0);
}

/** Fails if a package does not find what it depends on, or finds another version, or if there is a package too many. */
async function checkTree(options) {
  await npm('npm', ['ls', '--all'], options).catch((error) => {
    // The faults are in `stderr`: `stdout` has the tree, of a thousand lines.
    throw Object.assign(error, { stdout: '' });
  });
}

/** Prints the result in a line. */
async function run(name, packs, limits, signal) {
  const folder = await mkdtemp(join(tmpdir(), `sluice-consumer-${name}-`));
  try {
    const options = { cwd: folder, signal, maxBuffer: 64 * 1024 * 1024 };
    const installing = await seconds(async () => {
      await write(name, folder, packs, limits);
      await checkTree(options);
    });
    const testing = await seconds(() => npm('npm', ['test'], options));
    console.log(`consumer ${name}: passed, installed in ${installing} s, tested in ${testing} s`);
    return true;
  } catch (error) {
    console.log(error.stdout ?? '', error.stderr ?? '');
    console.log(
      `consumer ${name}: FAILED, ${error.code === 'ABORT_ERR' ? 'out of time' : error.message.split('\n')[0]}`,
    );
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns whether every consumer of packs passes, also the limits of what an import may cost. */
export async function runConsumers(packs, limits) {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const used = ({ packages }) =>
    packages ? packs.filter(({ packageName }) => packages.includes(packageName.replace('@sluice/', ''))) : packs;
  const passed = await Promise.all(
    Object.entries(CONSUMERS).map(([name, consumer]) => run(name, used(consumer), limits, signal)),
  );
  return passed.every(Boolean);
}
