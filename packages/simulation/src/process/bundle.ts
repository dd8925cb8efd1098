import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Exports } from './exports.js';
import { sharedCode } from './shared-code.js';

/** The code of the packages of one checkout, ready to be run as often as there are processes. */
export interface Bundle {
  /** Loads the code as a process of its own: with its own state of modules, and with these globals in place of Node's. */
  readonly begin: (globals: ProcessGlobals) => LoadedCode;
}

/** The code of a bundle in one process. */
export interface LoadedCode {
  readonly exports: Exports;
  /** From now on, the bundle runs in this process. It does so, too, when it was just loaded. */
  readonly enter: () => void;
}

/** The globals of Node that show time, chance or the outside: each process finds its own in their place. */
const GLOBALS = [
  'require',
  'globalThis',
  'process',
  'crypto',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'performance',
  'Date',
  'Math',
  'WeakRef',
  'FinalizationRegistry',
] as const;

type ProcessGlobals = Readonly<Record<(typeof GLOBALS)[number], unknown>>;

/** What the simulation uses of a checkout. */
const ENTRY = `
export * as core from '@sluice/core';
export * as distributed from '@sluice/core/distributed';
export * as store from '@sluice/core/store';
export * as redis from '@sluice/redis';
export * as llm from '@sluice/llm';
`;

/**
 * Bundles the packages of a checkout from their sources, which need no build.
 *
 * @param root - the folder of the checkout
 * @param modules - where the packages of others are, if the checkout has no folder node_modules
 */
export async function bundleOf(root: string, modules = join(root, 'node_modules')): Promise<Bundle> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: root },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    nodePaths: [modules],
    plugins: [ownPackages(root)],
    logLevel: 'error',
  });
  return bundleOfText(outputFiles[0]?.text ?? '');
}

/** The same from a text that was bundled before. */
export function bundleOfText(text: string): Bundle {
  const code = sharedCode(text, [...GLOBALS, 'module', 'exports']);
  /** Whose variables are in place. */
  let inPlace: unknown[] | undefined;
  const keep = (): void => {
    if (inPlace) code.keep(inPlace);
    inPlace = undefined;
  };
  return {
    begin(globals) {
      keep();
      const module = { exports: {} };
      code.begin({ ...globals, module, exports: module.exports });
      const variables = code.variables();
      inPlace = variables;
      return {
        exports: module.exports as Exports,
        enter() {
          if (inPlace === variables) return;
          keep();
          code.putInPlace(variables);
          inPlace = variables;
        },
      };
    },
  };
}

/** Finds our packages in the checkout itself, wherever a link in node_modules leads. */
function ownPackages(root: string): Plugin {
  return {
    name: 'own-packages',
    setup({ onResolve }) {
      onResolve({ filter: /^@sluice\// }, ({ path }) => {
        const [, name = '', ...rest] = path.split('/');
        const folder = join(root, 'packages', name);
        const manifest = join(folder, 'package.json');
        if (!existsSync(manifest)) return { errors: [{ text: `There is no package ${path} in the checkout` }] };
        const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
        const entry = sourceOf(exports, ['.', ...rest].join('/'));
        return entry ? { path: join(folder, entry) } : { errors: [{ text: `The checkout exports no ${path}` }] };
      });
    },
  };
}

type ExportsMap = Readonly<Record<string, { readonly '@sluice/source'?: string }>>;

/** Returns the source of an entry, or of a file inside a package, for which a key like `./src/*` stands. */
function sourceOf(exports: ExportsMap, subpath: string): string | undefined {
  const key = Object.keys(exports).find((key) => key.endsWith('*') && subpath.startsWith(key.slice(0, -1)));
  const isEntry = key === undefined || subpath in exports;
  if (isEntry) return exports[subpath]?.['@sluice/source'];
  return exports[key]?.['@sluice/source']?.replace('*', subpath.slice(key.length - 1));
}
