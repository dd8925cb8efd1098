// Makes a version of the notes in `.changeset`: npm run release:version. All packages get it. Changesets reads the notes, writes the
// changelogs and changes the manifests. What it leaves is done here: changelogs of private packages, the lock, and the version in
// the code of a package.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tool } from './tools.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** Returns the names of the notes that no version has yet. */
export const notesIn = (root) =>
  readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md');

/** Returns the folders of the workspaces, as the lock names them. */
const workspacesIn = ({ packages }) => Object.keys(packages).filter((path) => path && !path.includes('node_modules/'));

const OF_MANIFEST = ['version', 'dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** Has the lock say of the workspaces what their manifests say. Nothing else of it changes with a version. */
function refreshLock(root) {
  const path = join(root, 'package-lock.json');
  const lock = readJson(path);
  for (const folder of workspacesIn(lock)) {
    const manifest = readJson(join(root, folder, 'package.json'));
    for (const member of OF_MANIFEST) if (manifest[member]) lock.packages[folder][member] = manifest[member];
  }
  writeJson(path, lock);
  return workspacesIn(lock).map((folder) => ({
    folder: join(root, folder),
    ...readJson(join(root, folder, 'package.json')),
  }));
}

/** A version without a note of a package's own. */
const WITHOUT_NOTES = /^(## \S+)\n+(?=## |$(?![\s\S]))/gm;

/** Private packages have no readers of changelogs. In those of the others, no version stands there without a word. */
function tidyChangelog({ folder, private: isPrivate }) {
  const path = join(folder, 'CHANGELOG.md');
  if (!existsSync(path)) return;
  if (isPrivate) rmSync(path);
  else {
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replaceAll(WITHOUT_NOTES, '$1\n\nNothing has changed but the version.\n\n').trimEnd().concat('\n'),
    );
  }
}

/** Returns the new version. Changes the files below a root that has notes. */
export function version(root) {
  execFileSync(process.execPath, [tool('@changesets/cli/bin.js'), 'version'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const workspaces = refreshLock(root);
  for (const workspace of workspaces) tidyChangelog(workspace);
  const [{ version: made }] = workspaces;
  const code = join(root, 'packages/metrics/src/version.ts');
  writeFileSync(code, readFileSync(code, 'utf8').replace(/'[^']+'/, `'${made}'`));
  return made;
}

if (process.argv[1] === import.meta.filename) {
  if (notesIn(ROOT).length === 0) {
    console.error('There is no note in .changeset. .github/CONTRIBUTING.md says how one is written.');
    process.exitCode = 1;
  } else console.log(`All packages have version ${version(ROOT)} now. Read the changes, and commit them.`);
}
