// Runs the tests on other versions of Node: npm run test:nodes [-- --node 24] [arguments for Jest].
// The programs come from the `node` packages of the npm registry, into a folder that no Node package is looked up in.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The versions that CI does not run on: it runs on the machine's. */
const VERSIONS = ['22', '24', '26'];

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'nodes');

const versions = [];
const jestArgs = [];
for (let args = process.argv.slice(2); args.length > 0; ) {
  const [first, second] = args;
  if (first === '--node') versions.push(second);
  else jestArgs.push(first);
  args = args.slice(first === '--node' ? 2 : 1);
}
if (versions.some((version) => !/^\d+(\.\d+){0,2}$/.test(version ?? ''))) {
  console.error('Usage: npm run test:nodes -- [--node 22]... [arguments of Jest]');
  process.exit(2);
}

/** The path of a Node program, installed if it is not there yet. */
function program(version) {
  const folder = join(cache, version);
  const path = join(folder, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts=false'];
  execFileSync('npm', ['install', ...options, `node@${version}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path;
}

/** Everything that is started as `node`, by a test or by npm, is the same program. */
async function run(version) {
  const node = program(version);
  const name = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`\n# Node.js ${name}\n`);
  const report = join(cache, `${version}.json`);
  rmSync(report, { force: true });
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const test = spawn(node, [jest, '--ci', '--json', `--outputFile=${report}`, ...jestArgs], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(test, 'exit');
  return { name, ...figures(report, code) };
}

function figures(report, code) {
  if (!existsSync(report)) return { passed: 0, failed: 1, hasFailed: true };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return { passed: numPassedTests, failed, hasFailed: code !== 0 || failed > 0 || numPassedTests === 0 };
}

const results = [];
// One after another: a machine that is busy with one suite misses the milliseconds of the other.
for (const version of versions.length > 0 ? versions : VERSIONS) results.push(await run(version));
console.log();
for (const { name, passed, failed } of results) console.log(`Node.js ${name}: ${passed} passed, ${failed} failed`);
if (results.some(({ hasFailed }) => hasFailed)) process.exitCode = 1;
