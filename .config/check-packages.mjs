// Packs every package that is not private, and has publint and attw look at what would be published: exports, formats
// and types for ESM and CommonJS. Meanwhile, projects as users have them get the packs and run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { problemKindInfo } from '@arethetypeswrong/core/problems';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { runConsumers } from './consumers/run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const isPublished = (name) => !JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).private;

/** Returns the tarballs that npm would publish. */
function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-packs-'));
  try {
    const names = readdirSync(join(root, 'packages')).filter(isPublished);
    const workspaces = names.flatMap((name) => ['-w', `packages/${name}`]);
    const args = ['pack', '--silent', '--pack-destination', folder, ...workspaces];
    execFileSync('npm', args, { cwd: root, stdio: 'inherit' });
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

/** Returns whether publint and attw find no fault with any of the packs, and prints what they find. */
async function lint(packs) {
  const faults = [];
  for (const { files, tarball } of packs) {
    for (const fault of await publintFaults(tarball)) faults.push(`publint: ${files.packageName}: ${fault}`);
    for (const fault of await attwFaults(files)) faults.push(`attw: ${files.packageName}: ${fault}`);
  }
  for (const fault of faults) console.log(fault);
  return faults.length === 0;
}

const packs = pack().map((tarball) => ({ tarball, files: read(tarball) }));
const consumers = runConsumers(packs.map(({ files }) => files));
const passed = await Promise.all([consumers, lint(packs)]);
if (!passed.every(Boolean)) process.exitCode = 1;
