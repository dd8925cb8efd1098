import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { COMPARISONS } from '../src/pictures/comparisons.js';
import { drawComparison } from '../src/pictures/draw-comparison.js';
import { type KeptResults, readResults } from '../src/results/kept-results.js';
import type { Table } from '../src/table.js';

const RESULTS = join(__dirname, '../results');
const KEPT = readResults();
const DRAWN = COMPARISONS.filter(({ section }) => KEPT[section]);

const keptOf = (section: string, ...tables: Table[]): KeptResults => ({
  [section]: {
    title: section,
    loadAverage: 1,
    date: '2026-11-23T00:00:00Z',
    machine: 'a machine',
    scale: 'short',
    tables,
  },
});

const http: Table = {
  caption: 'Fastify, 10,000 clients by address behind a trusted proxy, allowed',
  head: ['', 'requests', 'µs of the processor each', 'more than the bare route', "times a Map counter's"],
  rows: [
    ['bare route', '40 k/s', 14, '', ''],
    ['bare Map counter', '30 k/s', 18, { median: 4, least: 3, most: 5 }, 1],
    ['Sluice', '30 k/s', 18.5, { median: 4.5, least: 4, most: 6 }, 1.1],
    ['Sluice, once more', '30 k/s', 18.6, { median: 4.6, least: 4, most: 6 }, 1.1],
    ['@fastify/rate-limit', '28 k/s', 20, { median: 6, least: 5, most: 12 }, 1.5],
  ],
};

describe('The pictures of comparisons', () => {
  it.each(DRAWN.map((comparison) => [comparison.name, comparison] as const))('%s shows what was kept', (name, one) => {
    if (drawComparison(one, KEPT) === readFileSync(join(RESULTS, `${name}.svg`), 'utf8')) return;
    throw new Error(`${name}.svg is stale: run npm run pictures`);
  });

  it('have room for each of their labels', () => {
    const drawn = DRAWN.map((one) => drawComparison(one, KEPT) ?? '').join('');
    const labels = [...drawn.matchAll(/text-anchor="end">([^<]*)</g)].map(([, label = '']) => label);
    // The footer of a picture, which has the whole width, ends at the same edge.
    const own = labels.filter((label) => !label.startsWith('npm run bench'));
    expect(own.length).toBeGreaterThan(DRAWN.length);
    expect(own.filter((label) => label.length > 24)).toEqual([]);
  });

  it('are in the README, and no others lie around', () => {
    const shown = [...readFileSync(join(__dirname, '../README.md'), 'utf8').matchAll(/\(results\/(.*)\.svg\)/g)];
    const names = DRAWN.map(({ name }) => name).sort();
    expect(shown.map(([, name]) => name).sort()).toEqual(names);
    const files = [...names, 'growth'].sort().map((name) => `${name}.svg`);
    expect(readdirSync(RESULTS).filter((file) => file.endsWith('.svg'))).toEqual(files);
  });

  it('show medians and ranges, without the baseline and without the second row of the same code', () => {
    const comparison = COMPARISONS.find(({ name }) => name === 'http');
    const drawn = comparison && drawComparison(comparison, keptOf('http', http));
    expect(drawn).toContain(
      '<desc>Fastify, by address: bare Map counter 4, Sluice 4.5, @fastify/rate-limit 6 (no difference from Sluice).</desc>',
    );
    expect(drawn?.match(/class="range"/g)).toHaveLength(3);
  });

  it('say where the spreads overlap that there is no difference, and only there', () => {
    const comparison = COMPARISONS.find(({ name }) => name === 'http');
    const withPeer = (least: number) => {
      const rows = [
        ...http.rows.slice(0, -1),
        ['@fastify/rate-limit', '28 k/s', 20, { median: 8, least, most: 12 }, 2],
      ];
      return comparison && drawComparison(comparison, keptOf('http', { ...http, rows }));
    };
    expect(withPeer(6)).toContain('>8 ≈</text>');
    expect(withPeer(6)).toContain('≈ no difference from the first row of Sluice: the spreads overlap');
    expect(withPeer(6.1)).not.toContain('≈');
  });

  it('are not drawn of what was not kept', () => {
    expect(COMPARISONS.map((comparison) => drawComparison(comparison, {}))).toEqual(COMPARISONS.map(() => undefined));
  });

  it('name a column that a table has', () => {
    const comparison = COMPARISONS.find(({ name }) => name === 'http');
    const other = keptOf('http', { ...http, head: http.head.map(() => '') });
    expect(() => comparison && drawComparison(comparison, other)).toThrow('has no column more than the bare');
  });
});
