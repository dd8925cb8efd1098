// Makes of each package that is not private the folder that npm publishes: bundles for both formats, declarations, pages and
// data. It reads what `npm run build` made.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundle } from './bundle.mjs';
import { declareAll } from './declarations.mjs';
import { manifestOf } from './manifest.mjs';
import { published, ROOT, STAGE } from './published.mjs';

/** What every package has beside its `files`. */
const ALWAYS = ['README.md', 'CHANGELOG.md', 'LICENSE'];

/** Copies what is published as it is: `files` of the workspace, without what they except by a `!`. */
function copyFiles({ folder, stage, manifest: { files = [] } }) {
  const excepted = files.filter((name) => name.startsWith('!')).map((name) => join(folder, name.slice(1)));
  const isPublished = (path) => !excepted.includes(path);
  for (const name of [...ALWAYS, ...files.filter((name) => !name.startsWith('!'))]) {
    cpSync(join(folder, name), join(stage, name), { recursive: true, filter: isPublished });
  }
}

/** Writes the folders, and returns their paths. */
export async function stage() {
  rmSync(STAGE, { recursive: true, force: true });
  const units = published();
  const bundles = new Map();
  for (const unit of units) bundles.set(unit, await bundle(unit));
  declareAll(bundles);
  for (const unit of units) {
    copyFiles(unit);
    writeFileSync(join(unit.stage, 'package.json'), `${JSON.stringify(manifestOf(unit), null, 2)}\n`);
  }
  return units.map((unit) => unit.stage);
}

if (process.argv[1] === import.meta.filename) {
  for (const folder of await stage()) console.log(relative(ROOT, folder));
}
