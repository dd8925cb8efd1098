// What has a lock of its own, so that the root's install has none of it, is installed where it is first needed.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const timeOf = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Installs what the lock of a folder says, unless it is there: npm writes a lock of what it has installed. */
export function ensureInstalled(folder) {
  const installed = timeOf(join(folder, 'node_modules/.package-lock.json'));
  if (installed >= timeOf(join(folder, 'package-lock.json'))) return;
  const install = fileURLToPath(new URL('install.mjs', import.meta.url));
  execFileSync(process.execPath, [install, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
}
