import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** As deep in the repository as the sources of the test kit, which look for a file at the root from where they are. */
const FOLDER = fileURLToPath(new URL('dist/bundle/', import.meta.url));

/** The programs by name: the soak, and what it starts. The decision service is the program that users run. */
const PROGRAMS = { soak: 'src/main.ts', app: 'src/app.ts', service: '../server/src/main.ts' };

/** Makes the programs from the sources of all packages, and returns the folder that they are in. */
export async function bundle() {
  const entries = Object.entries(PROGRAMS).map(([name, file]) => [name, fileURLToPath(new URL(file, import.meta.url))]);
  await build({
    entryPoints: Object.fromEntries(entries),
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@sluice/source'],
    // Users have these as their authors publish them.
    external: ['@grpc/*', '@jest/*', '@valibot/*', 'commander', 'express', 'fastify', 'ioredis', 'libsql'].concat([
      'pg',
      'pino',
      'prom-client',
      'valibot',
      'yaml',
    ]),
    splitting: true,
    outdir: FOLDER,
    outExtension: { '.js': '.mjs' },
    banner: {
      js: "import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url); const __dirname = import.meta.dirname;",
    },
    logLevel: 'error',
  });
  return FOLDER;
}
