// Packs what is published of every package that is not private, and has publint and attw look at it: exports, formats and
// types for ESM and CommonJS. Meanwhile, projects as users have them get the packs and run. Also looks at what the main entries
// declare, at sizes, and at licences. A release begins with it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { problemKindInfo } from '@arethetypeswrong/core/problems';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { runConsumers } from './consumers/run.mjs';
import { apiFaults } from './publish/api.mjs';
import { licenceFaults } from './publish/licences.mjs';
import { checkBundles, LIMITS } from './publish/limits.mjs';
import { OWNER } from './publish/manifest.mjs';
import { stage } from './publish/stage.mjs';

/** Returns the tarballs that npm would publish. */
async function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-packs-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, ...(await stage())], { stdio: 'inherit' });
    return readdirSync(folder).map((name) => new Uint8Array(readFileSync(join(folder, name))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a pack as attw reads it. Of itself it searches all files for each folder, which takes most of attw's time. */
function read(tarball) {
  const files = createPackageFromTarballData(tarball);
  const folders = new Set(['/']);
  for (const file of files.listFiles()) {
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  files.directoryExists = (path) => folders.has(path.replace(/(?<=.)\/$/, ''));
  return files;
}

/** Returns what publint finds wrong: to be strict, its warnings too. */
async function publintFaults(tarball) {
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: tarball.buffer } });
  return messages.filter(({ type }) => type === 'error').map((message) => formatMessage(message, pkg));
}

/** Whether programs can import a pack. The others can only run it. */
function hasEntry(files) {
  const { main, exports } = JSON.parse(files.readFile(`/node_modules/${files.packageName}/package.json`));
  return main !== undefined || exports['.'] !== undefined;
}

/** Also as TypeScript resolves without `moduleResolution` in CommonJS projects, which knows no exports map. */
async function attwFaults(files) {
  const { types, problems } = await checkPackage(files);
  if (!types) return hasEntry(files) ? ['has no types'] : [];
  return problems.map(({ kind, ...details }) => `${problemKindInfo[kind].title}: ${JSON.stringify(details)}`);
}

/** What is only for those who change the code. */
const INTERNAL = /\/(src|test|why)\/|\/architecture\.md$|\.tsbuildinfo$/;

const strayFaults = (files) => files.listFiles().filter((path) => INTERNAL.test(path));

/** What a reader of npm's page of a package needs. Where its code is stands there as soon as the owner has set it. */
const DESCRIBED = ['description', 'keywords', 'license', 'engines', 'publishConfig'];
const LOCATED = OWNER.repository === '' ? [] : ['repository', 'bugs', 'homepage'];

function manifestFaults(files) {
  const manifest = JSON.parse(files.readFile(`/node_modules/${files.packageName}/package.json`));
  return [...DESCRIBED, ...LOCATED].filter((member) => manifest[member] === undefined);
}

/** With one character outside of ASCII, the engine keeps a whole bundle at two bytes a character, and takes longer to read it. */
const wideFaults = (files) =>
  files
    .listFiles()
    .filter((path) => path.startsWith(`/node_modules/${files.packageName}/dist/`) && /\.c?js$/.test(path))
    .filter((path) => /[^\0-\x7f]/.test(files.readFile(path)));

/** Returns whether there is no fault with any of the packs, and prints what there is. */
async function lint(packs) {
  const faults = [...apiFaults(), ...licenceFaults()];
  for (const { files, tarball } of packs) {
    for (const path of strayFaults(files)) faults.push(`${files.packageName}: ${path} is not for users`);
    for (const path of wideFaults(files)) faults.push(`${files.packageName}: ${path} has characters outside of ASCII`);
    for (const member of manifestFaults(files)) faults.push(`${files.packageName}: its manifest has no ${member}`);
    for (const fault of await publintFaults(tarball)) faults.push(`publint: ${files.packageName}: ${fault}`);
    for (const fault of await attwFaults(files)) faults.push(`attw: ${files.packageName}: ${fault}`);
  }
  for (const fault of faults) console.log(fault);
  return faults.length === 0;
}

/**
 * A package as npm would publish it: the tarball, and its files.
 * @typedef {{ readonly tarball: Uint8Array, readonly files: import('@arethetypeswrong/core').Package }} Pack
 */

/**
 * Returns the packs, and whether they may be published. Prints what each check finds.
 * @returns {Promise<{ packs: readonly Pack[], hasPassed: boolean }>}
 */
export async function checkPackages() {
  const packs = (await pack()).map((tarball) => ({ tarball, files: read(tarball) }));
  const consumers = runConsumers(
    packs.map(({ files }) => files),
    LIMITS,
  );
  const passed = await Promise.all([consumers, lint(packs), checkBundles()]);
  return { packs, hasPassed: passed.every(Boolean) };
}

if (process.argv[1] === import.meta.filename) {
  const { hasPassed } = await checkPackages();
  if (!hasPassed) process.exitCode = 1;
}
