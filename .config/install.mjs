// Installs what the lock says, as `npm ci` does, in half its time. The lock has no addresses, since each machine has a registry
// of its own; npm would download the whole history of every package to learn where one version of it is. Registries keep
// versions where npm's own does: a second lock says so, which npm takes in place of the first, and which has the same hashes.
// An argument names another folder that has a lock of its own.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [, , folder] = process.argv;
const root = fileURLToPath(folder ? pathToFileURL(`${folder}/`) : new URL('..', import.meta.url));
const addressed = `${root}npm-shrinkwrap.json`;

/** Writes the lock with the address of each package in a registry. */
function writeAddressed(registry) {
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!entry.integrity) continue;
    // An alias has the name of its package beside it.
    const name = entry.name ?? path.split('node_modules/').at(-1);
    entry.resolved ??= new URL(`${name}/-/${basename(name)}-${entry.version}.tgz`, registry).href;
  }
  writeFileSync(addressed, JSON.stringify(lock));
}

/** Returns whether `npm ci` succeeds. */
async function install() {
  // No package here needs its install script.
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts'];
  const [code] = await once(spawn('npm', args, { cwd: root, stdio: 'inherit' }), 'exit');
  return code === 0;
}

// Whoever interrupts npm interrupts this as well: it ends after npm, without the second lock.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (isInterrupted = true));

const registry = execFileSync('npm', ['config', 'get', 'registry'], { cwd: root, encoding: 'utf8' }).trim();
let isInstalled = false;
try {
  writeAddressed(registry.endsWith('/') ? registry : `${registry}/`);
  isInstalled = await install();
} finally {
  rmSync(addressed, { force: true });
}
// A registry that keeps its packages elsewhere.
if (!isInstalled && !isInterrupted) isInstalled = await install();
if (!isInstalled) process.exitCode = 1;
