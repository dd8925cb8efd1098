// Draws dashboard.png again: npm run picture -w @sluice/example-observed-api
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const program = fileURLToPath(new URL('dist/picture.cjs', import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
  bundle: true,
  platform: 'node',
  conditions: ['@sluice/source'],
  external: ['esbuild', 'playwright-core', 'vega', 'vega-lite'],
  outfile: program,
});
try {
  const { picture } = await import(program);
  await picture();
} finally {
  rmSync(program);
}
