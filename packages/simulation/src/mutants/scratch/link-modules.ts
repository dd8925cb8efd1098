import { existsSync, mkdirSync, readdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const MODULES = 'node_modules';

/**
 * Gives a copy of a checkout the packages of the original: links to those from elsewhere, and the same relative links to the
 * checkout's own, which lead to those of the copy.
 *
 * @param files - of the checkout, of which each `package.json` may have packages beside it
 */
export function linkModules(checkout: string, copy: string, files: readonly string[]): void {
  const owners = files.filter((file) => file.endsWith('package.json')).map((file) => dirname(file));
  for (const owner of new Set(['.', ...owners])) {
    const from = join(checkout, owner, MODULES);
    rmSync(join(copy, owner, MODULES), { recursive: true, force: true });
    if (existsSync(from)) linkEach(checkout, from, join(copy, owner, MODULES));
  }
}

function linkEach(checkout: string, from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name.startsWith('@')) linkEach(checkout, source, target);
    else if (entry.isSymbolicLink() && isOwn(checkout, source)) symlinkSync(readlinkSync(source), target);
    else symlinkSync(source, target);
  }
}

/** Whether a link leads to a package of the checkout itself. */
function isOwn(checkout: string, link: string): boolean {
  const path = relative(realpathSync(checkout), realpathSync(link)).split(sep);
  return path[0] !== '..' && !path.includes(MODULES);
}
