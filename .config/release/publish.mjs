// Publishes the packages that are staged. It asks npm for all of them before it publishes one, so that it does not stop halfway over a
// package that npm does not know: what is published cannot be taken back.
import { spawnSync } from 'node:child_process';

/** Runs npm, and returns its status and its standard output. */
const runNpm = (...args) => spawnSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Returns the versions of a package that npm has; undefined if it has no such package. */
function versionsOf(name, npm) {
  const { status, stdout } = npm('view', name, 'versions', '--json');
  if (status === 0) return [JSON.parse(stdout)].flat();
  if (stdout.includes('"E404"')) return undefined;
  throw new Error(`npm does not say which versions ${name} has`);
}

/**
 * Publishes packages, and prints what it does. What an earlier try has published is left out. npm states how each was built.
 *
 * @param packages - Each with its name, its version and its staged folder, after those that it depends on.
 */
export function publishAll(packages, npm = runNpm) {
  const published = new Map(packages.map(({ name }) => [name, versionsOf(name, npm)]));
  const unknown = packages.filter(({ name }) => published.get(name) === undefined).map(({ name }) => name);
  if (unknown.length > 0) {
    throw new Error(
      `npm does not know ${unknown.join(', ')}: the owner publishes a new package by hand, as the first release`,
    );
  }
  for (const { name, version, folder } of packages) {
    const id = `${name}@${version}`;
    if (published.get(name).includes(version)) {
      console.log(`${id} is published already`);
      continue;
    }
    const { status } = npm('publish', '--provenance', '--access', 'public', folder);
    if (status !== 0) throw new Error(`npm has not published ${id}`);
    console.log(`${id} is published`);
  }
}
