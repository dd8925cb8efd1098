import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CATALOGUE, type Metric } from '../src/index.js';
import { VERSION } from '../src/version.js';
import { CATALOGUE_ROWS } from './catalogue-rows.js';

const metrics: readonly Metric[] = Object.values(CATALOGUE);
const manifest = JSON.parse(readFileSync(resolve(__dirname, '../package.json'), 'utf8')) as {
  readonly version: string;
};

describe('the catalogue', () => {
  it('gives each metric a name of its own, in Prometheus and in OpenTelemetry', () => {
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
    expect(new Set(metrics.map(({ instrument }) => instrument)).size).toBe(metrics.length);
  });

  it.each(metrics.map((metric) => [metric.name, metric] as const))(
    'follows the rules of names in %s',
    (name, metric) => {
      const { type, help, labels, values = {}, instrument, unit } = metric;
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      // Prometheus has the unit in the name, and base units only. OpenTelemetry has it beside the name.
      expect(/_seconds(_total)?$/.test(name)).toBe(unit === 's');
      expect(instrument).toMatch(/^sluice(\.[a-z]+(_[a-z]+)*)+$/);
      expect(instrument).not.toMatch(/_total$|_seconds$/);
      expect(unit).toMatch(/^(s|1|\{[a-z]+\})$/);
      // OpenMetrics escapes quotes in a help text, and the libraries do not.
      expect(help).toMatch(/^[A-Z][^"\\\n]*\.$/);
      for (const label of [...labels, ...Object.keys(values)]) expect(label).toMatch(/^[a-z]+$/);
      for (const label of Object.keys(values)) expect(labels).toContain(label);
    },
  );
});

describe('the page of all metrics', () => {
  it('has a row for each metric of the catalogue, and no other', () => {
    const page = readFileSync(resolve(__dirname, '../docs/all-metrics.md'), 'utf8');
    const rows = page.split('\n').map((row) => row.replace(/ +\|/g, ' |'));
    expect(rows.filter((row) => /^\| `[a-z_]+` \| (counter|gauge|histogram) /.test(row))).toEqual(CATALOGUE_ROWS);
  });
});

describe('the version that build_info shows', () => {
  it('is that of the package', () => {
    expect(VERSION).toBe(manifest.version);
  });
});
