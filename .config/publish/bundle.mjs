// Bundles what the compiler made of a package, once for both formats. What two entries share is in a chunk, so that a process
// has one copy of it. Other packages stay imports.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { insideFile } from './published.mjs';

/** Begins bundles at the sources: reads the compiler's source maps, and puts the sources into them. */
const withSources = {
  name: 'with-sources',
  async load(id) {
    const [code, text] = await Promise.all([readFile(id, 'utf8'), readFile(`${id}.map`, 'utf8')]);
    const map = JSON.parse(text);
    map.sourcesContent = map.sources.map((source) => readFileSync(resolve(id, '..', source), 'utf8'));
    return { code, map };
  },
};

/** A comment on lines of its own. Those of the members of a class esbuild would leave where they are. */
const OWN_LINES = /^[ \t]*\/\*\*[\s\S]*?\*\/$/gm;

/** Returns code without such comments, and with as many lines, for the source map. */
async function withoutOwnLines(code) {
  const bare = code.replace(OWN_LINES, (comment) => comment.replace(/[^\n]/g, ''));
  const [before, after] = await Promise.all([code, bare].map((text) => transform(text, { minifyWhitespace: true })));
  if (before.code !== after.code) throw new Error('a text has lines that look like a comment: write it in another way');
  return bare;
}

/**
 * Comments are a quarter of a bundle, and Node would read them at each start. They are in the declarations and the sources. Statements are
 * shortened, too; names and lines stay, so that a stack can be read.
 * The engine keeps a file at one byte a character as long as all of it is ASCII.
 */
const withoutComments = {
  name: 'without-comments',
  async renderChunk(code) {
    const options = {
      target: 'es2023',
      legalComments: 'none',
      minifySyntax: true,
      sourcemap: true,
      sourcefile: 'chunk',
    };
    return transform(await withoutOwnLines(code), options);
  },
};

const inputOf = (folder, { module }) => join(folder, 'dist/esm', `${module}.js`);

const isOutside = (id) => !/^[./]/.test(id) && !insideFile(id);

/** Puts what a package imports from inside workspaces into its bundles. See `docs/why/frameworks.md` of the core. */
const withWorkspaces = { name: 'with-workspaces', resolveId: (id) => insideFile(id) };

/** The entries that most programs load, by the chunk of what they share with others. A later chunk has nothing of an earlier one. */
const CHUNKS = { shared: ['index', 'values'], requests: ['http'] };

/**
 * Returns the chunk of each module that one of those entries shares. They are few, because each further file takes Node about a
 * millisecond to find and to link. Nothing else is in them: whoever loads an entry alone would have to compile it.
 */
function chunksOf({ folder, entries }, getModuleInfo) {
  const entriesOf = new Map();
  const visit = (id, name) => {
    if (isOutside(id) || entriesOf.get(id)?.has(name)) return;
    entriesOf.set(id, (entriesOf.get(id) ?? new Set()).add(name));
    for (const next of getModuleInfo(id).importedIds) visit(next, name);
  };
  for (const entry of entries) visit(inputOf(folder, entry), entry.name);
  const chunkOf = (names) => Object.keys(CHUNKS).find((chunk) => CHUNKS[chunk].some((name) => names.has(name)));
  return new Map([...entriesOf].filter(([, names]) => names.size > 1).map(([id, names]) => [id, chunkOf(names)]));
}

/** The compiler's helper for decorators looks for `this` where a module has none. All else is a fault. */
function onLog(level, log) {
  if (log.code !== 'THIS_IS_UNDEFINED') throw new Error(`${level}: ${log.message}`);
}

/** Returns how a format is written. Source maps name the sources as they are in the repository. */
function outputOf(unit, format) {
  const { stage, folder } = unit;
  let chunks;
  const extension = format === 'es' ? 'js' : 'cjs';
  return {
    format,
    dir: join(stage, 'dist'),
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `chunks/[name].${extension}`,
    manualChunks(id, { getModuleInfo }) {
      chunks ??= chunksOf(unit, getModuleInfo);
      return chunks.get(id);
    },
    hoistTransitiveImports: false,
    exports: 'named',
    esModule: true,
    interop: 'auto',
    // Jest's CommonJS mode knows no import().
    dynamicImportInCjs: false,
    sourcemap: true,
    sourcemapPathTransform: (source, map) => {
      const inFolder = relative(folder, resolve(map, '..', source));
      return relative(resolve(map, '..'), join(stage, inFolder));
    },
  };
}

/**
 * Writes the bundles of a package, and returns the values that each entry exports. Programs are ES modules only.
 * @param {import('./published.mjs').Published} unit
 * @returns {Promise<Map<string, readonly string[]>>}
 */
export async function bundle(unit) {
  const { folder, entries, programs } = unit;
  const input = Object.fromEntries([...entries, ...programs].map((entry) => [entry.name, inputOf(folder, entry)]));
  const build = await rollup({
    input,
    external: isOutside,
    plugins: [withWorkspaces, withSources, withoutComments],
    onLog,
  });
  try {
    const { output } = await build.write(outputOf(unit, 'es'));
    if (entries.length > 0) await build.write(outputOf(unit, 'cjs'));
    return new Map(output.filter(({ isEntry }) => isEntry).map(({ name, exports }) => [name, exports]));
  } finally {
    await build.close();
  }
}
