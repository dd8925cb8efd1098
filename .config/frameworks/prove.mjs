// Runs the recipes in the frameworks themselves: npm run proof -- frameworks. Arguments name the folders of some applications.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPackageFromTarballData } from '@arethetypeswrong/core';
import { ensureInstalled } from '../installed.mjs';
import { STAGE } from '../publish/published.mjs';
import { APPLICATIONS } from './applications.mjs';
import { build, make, serving } from './project.mjs';
import { examine } from './questions.mjs';

/** Returns the packages as npm would publish them. */
function pack(folder) {
  mkdirSync(folder);
  const staged = ['core', 'fetch'].map((name) => join(STAGE, name));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, ...staged], { stdio: 'ignore' });
  return readdirSync(folder).map((name) =>
    createPackageFromTarballData(new Uint8Array(readFileSync(join(folder, name)))),
  );
}

const versionIn = (folder, name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;

/** Makes, builds, serves and asks an application. Returns whether all has passed, and prints a line for each of its limits. */
async function prove({ title, packages, client, asked, ...application }, folder, packs) {
  make(folder, { packages, ...application }, packs);
  const name = `${title} ${versionIn(folder, packages[0])}`;
  const allFailures = [];
  try {
    await build(folder, application);
    const stopMs = await serving(folder, application, async (port) => {
      for (const [limit, paths] of Object.entries(asked)) {
        const { passed, failures } = await examine(paths.client ?? client, paths, port);
        console.log(`frameworks: ${name}, ${limit}: ${passed} passed, ${failures.length} failed`);
        allFailures.push(...failures);
      }
    });
    console.error(`${name} has ended ${Math.round(stopMs)} ms after SIGTERM`);
  } catch (error) {
    console.log(`frameworks: ${name}: failed`);
    allFailures.push(error.stack);
  }
  for (const failure of allFailures) console.error(failure);
  return allFailures.length === 0;
}

const names = process.argv.slice(2);
ensureInstalled(fileURLToPath(new URL('.', import.meta.url)));
const root = mkdtempSync(join(tmpdir(), 'sluice-frameworks-'));
try {
  const packs = pack(join(root, 'packs'));
  for (const [i, application] of APPLICATIONS.entries()) {
    if (names.length > 0 && !names.includes(application.folder)) continue;
    if (!(await prove(application, join(root, String(i)), packs))) process.exitCode = 1;
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}
