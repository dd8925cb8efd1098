import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Writes `policy.schema.json`, or with `--check` compares it with the structure by which files are checked. */

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { outputFiles } = await build({
  entryPoints: [at('json-schema.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  conditions: ['@sluice/source'],
});
const { jsonSchema } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);
const text = `${JSON.stringify(jsonSchema(), null, 2)}\n`;
const file = at('../policy.schema.json');
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('policy.schema.json is not what schema.ts says: run npm run schema -w @sluice/config\n');
  process.exitCode = 1;
}
