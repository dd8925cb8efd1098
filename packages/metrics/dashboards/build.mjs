// Writes the dashboards in grafana/ from the catalogue and from rows.ts: npm run dashboards -w @sluice/metrics
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('dashboard.ts', import.meta.url))],
  bundle: true,
  format: 'esm',
  platform: 'node',
  conditions: ['@sluice/source'],
  write: false,
});
const [{ text }] = outputFiles;
const { dashboardFiles } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
for (const [file, json] of dashboardFiles()) writeFileSync(new URL(`../grafana/${file}`, import.meta.url), json);
