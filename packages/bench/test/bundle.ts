import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = join(__dirname, '..');

/** The bench from source, in the folder of its build, from where it finds what it compares; gives its program. */
export async function bundle(): Promise<string> {
  return join(await bundleInto('from-source', ['main', 'child']), 'main.js');
}

/** The child program of a checkout, with a folder of its own. Plugins make it another checkout. */
export async function bundleChild(folder: string, plugins: Plugin[] = []): Promise<string> {
  return join(await bundleInto(folder, ['child'], plugins), 'child.js');
}

async function bundleInto(folder: string, programs: readonly string[], plugins: Plugin[] = []): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  const outdir = join(ROOT, 'dist', folder);
  await build({
    entryPoints: programs.map((name) => join(ROOT, `src/${name}.ts`)),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@sluice/source'],
    external: [
      ...Object.keys(manifest.dependencies).filter((name) => !name.startsWith('@sluice/')),
      'luxon',
      'ipaddr.js',
      'fastify-plugin',
      '@nestjs/*',
    ],
    outdir,
    plugins,
    logLevel: 'error',
  });
  return outdir;
}
