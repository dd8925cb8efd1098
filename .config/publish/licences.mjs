// Which licences the packages have that users install with ours: all that ours depend on, and what these depend on. Peers are not among
// them, since users choose those themselves: a framework, or the client of a database.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { published, ROOT } from './published.mjs';

/** They ask for no more than to keep their text; the last one for nothing. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense']);

/** Returns the folder of a package, as Node finds it from another one; undefined of one for other platforms. */
function find(name, from) {
  for (let folder = from; folder.startsWith(dirname(ROOT)); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return path;
  }
}

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Returns the manifests of all that our packages bring along, by name and version. */
function dependencies() {
  const found = new Map();
  const visit = (folder, { dependencies = {}, optionalDependencies = {} }) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = name.startsWith('@sluice/') ? undefined : find(name, folder);
      const manifest = place && manifestIn(place);
      const id = manifest && `${name}@${manifest.version}`;
      if (!id || found.has(id)) continue;
      found.set(id, manifest);
      visit(place, manifest);
    }
  };
  for (const { folder, manifest } of published()) visit(folder, manifest);
  return found;
}

/** Returns the packages whose licence nobody has allowed. */
export function licenceFaults() {
  return [...dependencies()]
    .filter(([, { license }]) => !ALLOWED.has(license))
    .map(
      ([id, { license }]) =>
        `licence: ${id} has ${JSON.stringify(license) ?? 'none'}, which licences.mjs does not allow`,
    );
}
