// Puts into a project what it declares: packs, and out of the node_modules of this repository the closure of what it and
// they depend on. Nothing else is there, as npm would have installed it, but nothing is fetched and only packs are written.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));

/** Calls `look` with a folder and those above it, up to `top`, until it returns something. */
function upwards(folder, top, look) {
  for (let at = folder; at.startsWith(top); at = dirname(at)) {
    const found = look(at);
    if (found) return found;
  }
}

/** Returns the folder of a package, as Node finds it from a folder of this repository. */
const find = (name, from) =>
  upwards(from, ROOT, (folder) => {
    const path = join(folder, 'node_modules', name);
    return existsSync(path) ? realpathSync(path) : undefined;
  });

/** Returns what npm installs for a package: its peers too. Some optional dependencies are for other platforms. */
function needsOf(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  return {
    own: Object.keys({ ...dependencies, ...optionalDependencies }),
    peers: Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional),
  };
}

/** Returns the folders of a project's packages with the folders that they come from. `roots` are from name to folder. */
function plan(project, roots) {
  const sources = new Map();
  const inside = (folder, name) => join(folder, 'node_modules', name);
  for (const [name, source] of roots) sources.set(inside(project, name), source);
  // It grows meanwhile: each new folder is visited too.
  for (const [folder, source] of sources) {
    const { own, peers } = needsOf(source);
    for (const name of [...own, ...peers]) {
      const wanted = find(name, source);
      const there = upwards(folder, project, (above) => sources.get(inside(above, name)));
      if (wanted && !there) sources.set(inside(project, name), wanted);
      // A peer is the one that the others have as well.
      else if (wanted && wanted !== there && own.includes(name)) sources.set(inside(folder, name), wanted);
    }
  }
  return sources;
}

/** Gives a file a second name, or copies it to another file system. */
function link(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** What nobody reads of a package: neither a program that runs, nor a compiler. */
const UNREAD = /\.map$|^(README|CHANGELOG)\.md$/;

/** Links the files of a folder that are read. */
function linkFolder(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) linkEntry(entry, from, to);
}

function linkEntry(entry, from, to) {
  const [source, target] = [join(from, entry.name), join(to, entry.name)];
  if (entry.isDirectory()) linkFolder(source, target);
  else if (!UNREAD.test(entry.name)) link(source, target);
}

/** Links the files of a package that are read, without the packages that npm has put into it. What it has brought itself is deeper. */
function linkPackage(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name !== 'node_modules') linkEntry(entry, from, to);
  }
}

/** Writes the files of a pack: their paths begin with `/node_modules`. */
function unpack(pack, project) {
  for (const file of pack.listFiles()) {
    const path = join(project, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, pack.readFile(file));
  }
  linkPrograms(pack, project);
}

/** Puts the programs of a pack where npx finds them. */
function linkPrograms(pack, project) {
  const { packageName } = pack;
  const { bin = {} } = JSON.parse(pack.readFile(`/node_modules/${packageName}/package.json`));
  const folder = join(project, 'node_modules/.bin');
  mkdirSync(folder, { recursive: true });
  for (const [name, file] of Object.entries(bin)) {
    chmodSync(join(project, 'node_modules', packageName, file), 0o755);
    symlinkSync(join('..', packageName, file), join(folder, name));
  }
}

/** Installs packs and other `dependencies`. `homeOf` returns the folder of this repository that depends on one. */
export function install(project, packs, dependencies, homeOf) {
  const packed = new Map(packs.map((pack) => [pack.packageName, find(pack.packageName, ROOT)]));
  const roots = Object.keys(dependencies).map((name) => [
    name,
    packed.get(name) ?? find(name, join(ROOT, homeOf(name))),
  ]);
  const isPacked = new Set(packed.values());
  for (const [folder, source] of plan(project, roots)) if (!isPacked.has(source)) linkPackage(source, folder);
  for (const pack of packs) unpack(pack, project);
}
