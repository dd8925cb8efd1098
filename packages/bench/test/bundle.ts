import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(__dirname, '..');

/** The bench from source, in the folder of its build, from where it finds what it compares; gives its program. */
export async function bundle(): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  const outdir = join(ROOT, 'dist/from-source');
  await build({
    entryPoints: [join(ROOT, 'src/main.ts'), join(ROOT, 'src/child.ts')],
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
    logLevel: 'error',
  });
  return join(outdir, 'main.js');
}
