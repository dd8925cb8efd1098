import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { exportRequestMetrics } from '../../server/src/metrics/export-request-metrics.js';
import { RequestMetrics } from '../../server/src/metrics/request-metrics.js';
import { dashboardFiles } from '../dashboards/dashboard.js';
import { SERVICE_METRICS, spell } from '../dashboards/spelling.js';

const FOLDER = join(__dirname, '../grafana');
const FILES = [...dashboardFiles()];

interface Placed {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

interface Dashboard {
  readonly panels: readonly Placed[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

describe.each(FILES)('The dashboard %s', (file, text) => {
  const { panels, templating } = JSON.parse(text) as Dashboard;
  const charts = panels.filter(({ type }) => type !== 'row');

  it('is made from the catalogue as it is today', () => {
    if (text === readFileSync(join(FOLDER, file), 'utf8')) return;
    throw new Error(`${file} is stale: run npm run dashboards -w @sluice/metrics`);
  });

  it('lets the reader choose the data source, policies and limits', () => {
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'policy', 'limit']);
  });

  it('describes every panel, and gives each a title of its own', () => {
    const titles = charts.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(charts.filter(({ description = '' }) => !/^[A-Z0-9].{20,}\.$/.test(description))).toEqual([]);
  });

  it('reads everything from the chosen data source', () => {
    const sources = charts.flatMap(({ datasource, targets = [] }) => [
      datasource?.uid,
      ...targets.map((target) => target.datasource.uid),
    ]);
    expect(new Set(sources)).toEqual(new Set([`\${datasource}`]));
  });

  it('places no panel over another, and none outside', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });
});

describe('The dashboards', () => {
  it('are all that the folder has, and those of programs differ in names only', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(FILES.map(([file]) => file).sort());
    const [prometheus, otel] = FILES.map(([, text]) => (JSON.parse(text) as Dashboard).panels);
    expect(otel?.map(({ title, gridPos }) => ({ title, gridPos }))).toEqual(
      prometheus?.map(({ title, gridPos }) => ({ title, gridPos })),
    );
  });
});

describe("The service's metrics", () => {
  it('are on its dashboard, under the names that it has', async () => {
    const registry = new Registry();
    exportRequestMetrics(registry, new RequestMetrics());
    const names = registry.getMetricsAsArray().map(({ name }) => name);
    expect(names.sort()).toEqual([...SERVICE_METRICS].sort());
    const text = dashboardFiles().get('sluice-server.json');
    for (const name of names) expect(text).toContain(name);
  });
});

describe('The spelling of OpenTelemetry', () => {
  it.each([
    [
      'sum by (policy, outcome) (rate(sluice_decisions_total{policy=~"$policy", outcome="refused"}[5m]))',
      'sum by (sluice_policy, sluice_outcome) (rate(sluice_decisions_total{sluice_policy=~"$policy", sluice_outcome="refused"}[5m]))',
    ],
    [
      'histogram_quantile(0.99, sum by (job, store, le) (rate(sluice_store_duration_seconds_bucket[5m])))',
      'histogram_quantile(0.99, sum by (job, sluice_store, le) (rate(sluice_store_duration_bucket[5m])))',
    ],
    ['{{policy}}: {{limit}} policies', '{{sluice_policy}}: {{sluice_limit}} policies'],
    ['label_values(sluice_limit_quota, tier)', 'label_values(sluice_limit_quota, sluice_tier)'],
  ])('of %s', (prometheus, otel) => {
    expect(spell(prometheus, 'otel')).toBe(otel);
    expect(spell(prometheus, 'prometheus')).toBe(prometheus);
  });

  it('knows no metric that the catalogue does not have', () => {
    expect(() => spell('sum(sluice_denials_total)', 'prometheus')).toThrow(
      'sluice_denials_total is not in the catalogue',
    );
  });
});
