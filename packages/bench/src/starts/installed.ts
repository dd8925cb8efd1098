import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../base-checkout.js';

const OWN = '@sluice';

/** A folder in which programs find packages as they are published, and the dependencies of this repository. */
interface Installed {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Bundles all packages as for publishing, which takes a minute, and installs them in a temporary folder. */
export async function installPublished(): Promise<Installed> {
  await promisify(execFile)('npm', ['run', '--silent', 'bundle'], { cwd: REPOSITORY });
  const folder = await mkdtemp(join(tmpdir(), 'sluice-starts-'));
  const [modules, packages] = [join(folder, 'node_modules'), join(REPOSITORY, 'node_modules')];
  await mkdir(modules);
  for (const name of await readdir(packages)) {
    if (name !== OWN && !name.startsWith('.')) await symlink(join(packages, name), join(modules, name));
  }
  // Copied, since a link would lead back to where the sources of the packages are found.
  await cp(join(REPOSITORY, 'dist'), join(modules, OWN), { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
