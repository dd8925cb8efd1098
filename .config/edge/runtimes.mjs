// The runtimes of the edge: installed by the lock of this folder where they are first needed.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from '../installed.mjs';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
ensureInstalled(FOLDER);
const require = createRequire(import.meta.url);
const { Miniflare } = require('miniflare');

const manifestOf = (name) => JSON.parse(readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8'));
export const versionOf = (name) => manifestOf(name).version;

/** The first day on which all that the Workers here use was on without a flag. */
const COMPATIBILITY_DATE = '2025-05-05';

/**
 * Starts a Worker in workerd.
 *
 * @param options - more options of Miniflare
 */
export function startWorkerd(code, compatibilityFlags, options = {}) {
  const modules = [{ type: 'ESModule', path: 'worker.mjs', contents: code }];
  return new Miniflare({ modules, compatibilityDate: COMPATIBILITY_DATE, compatibilityFlags, ...options });
}

/** Calls `work` with a function of fetch that asks a Worker in workerd. */
export async function inWorkerd(code, compatibilityFlags, work, options) {
  const workerd = startWorkerd(code, compatibilityFlags, options);
  try {
    return await work((url, init) => workerd.dispatchFetch(url, init));
  } finally {
    await workerd.dispose();
  }
}

/** The commands that run a program, without its path. */
export const COMMANDS = {
  Deno: [programOf('deno'), 'run', '-A'],
  Bun: [programOf('bun', 'bin/bun')],
};

/** Returns the program of a runtime for this machine. The package itself would put it into place by a script of its own. */
function programOf(name, file = name) {
  for (const platform of Object.keys(manifestOf(name).optionalDependencies)) {
    const program = join(FOLDER, 'node_modules', platform, file);
    if (existsSync(program)) return program;
  }
  throw new Error(`${name} has no program for this machine`);
}
