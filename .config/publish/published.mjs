// Which packages are published, and what of each a program can import.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The folders of what is published, each as npm packs it. */
export const STAGE = join(ROOT, 'dist');

/**
 * @typedef {object} Entry What a program can import or run.
 * @property {string} subpath - its key in the exports map; of a program, `.`
 * @property {string} name - of its bundle
 * @property {string} module - its file in the compiler's output, without an extension
 * @property {'browser' | undefined} condition - under which bundlers take it in place of the one with the same subpath
 */

/**
 * @typedef {object} Published A package that is published.
 * @property {string} name - of its folder
 * @property {string} folder - of the workspace
 * @property {string} stage - the folder that npm packs
 * @property {Record<string, any>} manifest - of the workspace
 * @property {readonly Entry[]} entries - what programs import; none of a package that is only run
 * @property {readonly Entry[]} programs - what `bin` names
 */

const COMPILED = /^\.\/dist\/esm\/(.+)\.js$/;

/** Whether a key of an exports map stands for files inside a workspace, which are published as parts of bundles. */
export const isInside = (subpath) => subpath.endsWith('*');

/** Returns the entries of an exports map that the compiler made. The others are files that are published as they are. */
function entriesOf(exports) {
  return Object.entries(exports).flatMap(([subpath, target]) => {
    const entryOf = (file, name, condition) => {
      const module = isInside(subpath) ? undefined : COMPILED.exec(file ?? '')?.[1];
      return module ? [{ subpath, name, module, condition }] : [];
    };
    return [
      ...entryOf(target.browser?.default, 'browser', 'browser'),
      ...entryOf(target.default, subpath === '.' ? 'index' : subpath.slice(2)),
    ];
  });
}

/** Two names of one program are one file. */
function programsOf(bin = {}) {
  const modules = new Set(Object.values(bin).map((file) => COMPILED.exec(file)[1]));
  return [...modules].map((module) => ({ subpath: '.', name: module, module }));
}

/** @returns {Published} */
function read(name) {
  const folder = join(ROOT, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { exports = {}, bin } = manifest;
  return { name, folder, stage: join(STAGE, name), manifest, entries: entriesOf(exports), programs: programsOf(bin) };
}

/** The workspaces by their folders, read once. */
let inside;

/**
 * Returns the file that a specifier names inside a workspace: any of a private one, and what the core has under `src`. Returns
 * undefined for an entry of a package that is published.
 *
 * @param {string} specifier
 * @returns {string | undefined}
 */
export function insideFile(specifier) {
  const [, name, path] = /^@sluice\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (!path) return undefined;
  inside ??= new Map(workspaces().map((workspace) => [workspace.name, workspace]));
  const { folder, manifest: { exports = {} } = {} } = inside.get(name) ?? {};
  const key = Object.keys(exports).find((key) => isInside(key) && `./${path}`.startsWith(key.slice(0, -1)));
  return key && join(folder, exports[key].default.replace('*', `./${path}`.slice(key.length - 1)));
}

/** Returns the names of the packages whose files become part of this one where it imports them: see `insideFile`. */
export function madeOf({ manifest }) {
  const privateOnes = workspaces().filter((workspace) => workspace.manifest.private);
  return [manifest.name, ...privateOnes.map((workspace) => workspace.manifest.name)];
}

/** Returns the packages that are not private. */
export function published() {
  return workspaces().filter(({ manifest }) => !manifest.private);
}

function workspaces() {
  const names = readdirSync(join(ROOT, 'packages')).filter((name) =>
    existsSync(join(ROOT, 'packages', name, 'package.json')),
  );
  return names.map(read);
}
