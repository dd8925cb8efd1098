// The package.json of a published package: that of the workspace, with the bundles in place of what the compiler made.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isInside, ROOT } from './published.mjs';

/** What only the owner of the names can know. */
export const OWNER = JSON.parse(readFileSync(new URL('owner.json', import.meta.url), 'utf8'));

/** What only a workspace needs. Everything in the staged folder is published, so that nothing has to say what is. */
const OF_WORKSPACE = ['scripts', 'devDependencies', 'files'];

/** Returns where a bundle and its declarations are, in both formats. */
function formatsOf({ name }) {
  return {
    import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
    require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
  };
}

/** Returns what TypeScript needs where it knows no exports map: with `moduleResolution` as CommonJS projects have it. */
function withoutExportsMap(exports) {
  const index = exports['.']?.require;
  const others = Object.entries(exports).filter(
    ([subpath, { require, types }]) => subpath !== '.' && (require ?? types),
  );
  const typesOf = ({ require, types }) => require?.types ?? types;
  return {
    ...(index && { main: index.default, types: index.types }),
    ...(others.length > 0 && {
      typesVersions: {
        '*': Object.fromEntries(others.map(([subpath, target]) => [subpath.slice(2), [typesOf(target)]])),
      },
    }),
  };
}

/**
 * Returns the bundles that do something when they are imported, so that bundlers of applications keep an import of which
 * nothing is used.
 */
function sideEffectsOf({ sideEffects }, entries) {
  if (!Array.isArray(sideEffects)) return sideEffects;
  const kept = entries.filter(({ module }) => sideEffects.includes(`./dist/esm/${module}.js`));
  return kept.flatMap(({ name }) => [`./dist/${name}.js`, `./dist/${name}.cjs`]);
}

/**
 * Returns where the code of a package is, and how it is published. npm states how a package was built (its provenance) only if it knows the
 * repository.
 */
function originOf(folder) {
  const { repository } = OWNER;
  if (repository === '') return { publishConfig: { access: 'public' } };
  const directory = relative(ROOT, folder);
  return {
    repository: { type: 'git', url: `git+${repository}.git`, directory },
    bugs: `${repository}/issues`,
    homepage: `${repository}/tree/main/${directory}#readme`,
    publishConfig: { access: 'public', provenance: true },
  };
}

/**
 * Returns the peers of a package. Those of ours have the same version. A workspace says so by `*`: a version of its own would be out of range
 * with each release, for which Changesets asks for a major version.
 */
function peersOf({ version, peerDependencies }) {
  const pinned = Object.entries(peerDependencies ?? {}).map(([name, range]) => [name, range === '*' ? version : range]);
  return pinned.length > 0 && { peerDependencies: Object.fromEntries(pinned) };
}

/** @param {import('./published.mjs').Published} unit */
export function manifestOf({ folder, manifest, entries, programs }) {
  const kept = Object.fromEntries(Object.entries(manifest).filter(([key]) => !OF_WORKSPACE.includes(key)));
  const bundled = new Map();
  for (const entry of entries) {
    const formats = entry.condition ? { [entry.condition]: formatsOf(entry) } : formatsOf(entry);
    bundled.set(entry.subpath, { ...bundled.get(entry.subpath), ...formats });
  }
  const exports = Object.fromEntries(
    Object.entries(manifest.exports)
      .filter(([subpath]) => !isInside(subpath))
      .map(([subpath, target]) => [subpath, bundled.get(subpath) ?? target]),
  );
  const [program] = programs;
  const bin =
    program && Object.fromEntries(Object.keys(manifest.bin).map((name) => [name, `./dist/${program.name}.js`]));
  const sideEffects = sideEffectsOf(manifest, entries);
  const origin = originOf(folder);
  return {
    ...kept,
    ...peersOf(manifest),
    ...origin,
    sideEffects,
    ...(bin && { bin }),
    ...withoutExportsMap(exports),
    exports,
  };
}
