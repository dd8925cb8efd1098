// Bundles a program as tools for Workers do: for a runtime that has what the web has, and nothing of Node.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The conditions under which those tools look for a package, and the one under which the code is read as it was written. */
const CONDITIONS = ['workerd', 'worker', 'browser', '@sluice/source'];

/**
 * Returns the code of a program, and the modules of Node that it would import.
 *
 * @param entry - the program, from this folder; undefined if the options have its code
 */
export async function bundle(entry, options = {}) {
  const { outputFiles, metafile } = await build({
    entryPoints: entry === undefined ? [] : [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    conditions: CONDITIONS,
    external: ['node:*'],
    logLevel: 'error',
    ...options,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const ofNode = imports.filter(({ external }) => external).map(({ path }) => path);
  return { code: outputFiles[0].text, ofNode: [...new Set(ofNode)] };
}
