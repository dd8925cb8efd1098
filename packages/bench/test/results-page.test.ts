import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AIMS } from '../src/results/aims/index.js';
import { aimTable } from '../src/results/aims/table.js';
import type { KeptResults } from '../src/results/kept-results.js';
import { pageOf } from '../src/results/page.js';
import { peerTable } from '../src/results/peers.js';
import type { Cell, Table } from '../src/table.js';

const RESULTS = join(__dirname, '../results');

const keptOf = (section: string, ...tables: Table[]): KeptResults => ({
  [section]: {
    ...{ title: `Title of ${section}`, loadAverage: 1, date: '2026-11-23T00:00:00Z', machine: 'a machine' },
    ...{ scale: 'short', tables },
  },
});

/** A table of Fastify, of what each adds to the bare route. */
const http = (outcome: string, more: Readonly<Record<string, number>>, around = 0.1): Table => ({
  caption: `Fastify, 10,000 clients by address behind a trusted proxy, ${outcome}`,
  head: ['', 'requests', 'µs of the processor each', 'more than the bare route', "times a Map counter's"],
  rows: Object.entries(more).map(([name, median]) => [
    name,
    '',
    '',
    { median, least: median - around, most: median + around },
    '',
  ]),
});

const rowsOfAims = (results: KeptResults): readonly (readonly Cell[])[] =>
  [...AIMS].flatMap(([caption, aims]) => aimTable(caption, aims, results).rows);

describe('The aims of the page of results', () => {
  it('compare with a row, and say by how much', () => {
    const faster = keptOf('http', http('allowed', { 'bare Map counter': 4, Sluice: 4.5, '@fastify/rate-limit': 6 }));
    expect(rowsOfAims(faster)).toEqual([
      [expect.any(String), 'at most the peer’s', 'Fastify 4.5 beside 6', 'met', ''],
      [expect.any(String), 'at most 1.2 times', 'Fastify 4.5 beside 4', 'met', ''],
    ]);
  });

  it('say why one is missed, with a link to the page', () => {
    const slower = keptOf('http', http('allowed', { 'bare Map counter': 4, Sluice: 5, '@fastify/rate-limit': 6 }));
    expect(rowsOfAims(slower)[1]?.slice(2)).toEqual([
      '**Fastify 5 beside 4**',
      '**missed**',
      expect.stringMatching(/ \(\[why\]\(\.\.\/docs\/http\.md\)\)$/),
    ]);
  });

  it('say where the intervals overlap, so that there is no difference', () => {
    const medians = { 'bare Map counter': 4, Sluice: 5, '@fastify/rate-limit': 6 };
    expect(rowsOfAims(keptOf('http', http('allowed', medians, 0.5)))[1]?.slice(2)).toEqual([
      'Fastify 5 beside 4 (no difference)',
      'met',
      '',
    ]);
  });

  it('compare with the slowest of several rows', () => {
    const table: Table = {
      caption: '1 caller at once, 10,000 keys, allowed; server on a core of its own',
      head: [
        '',
        'p50, µs',
        'p50, times',
        "µs of Redis' processor",
        "Redis' processor, times",
        "µs of the caller's processor",
      ],
      rows: [
        ['Sluice sliding window', 11, '', '', '', ''],
        ['rate-limit-redis', 10, '', '', '', ''],
        ['rate-limiter-flexible', 12, '', '', '', ''],
      ],
    };
    expect(rowsOfAims(keptOf('redis', table)).map((row) => row.slice(1, 3))).toContainEqual([
      'at most the slowest peer’s',
      'sliding window 11 beside 12',
    ]);
  });

  it('mark which figures of several miss it', () => {
    const table: Table = {
      caption: 'The process keeps up',
      head: ['', 'more'],
      rows: [
        ['admitted and answered, one request per turn', 401],
        ['admitted and answered, 10 requests per turn', 400],
      ],
    };
    expect(rowsOfAims(keptOf('load', table))[0]?.slice(2, 4)).toEqual([
      '**one request per turn 401**, 10 requests per turn 400',
      '**missed**',
    ]);
  });

  it('refer to pages that there are', () => {
    const pages = [...AIMS.values()].flat().map(({ why: { page } }) => page);
    expect(pages.filter((page) => !existsSync(join(RESULTS, page)))).toEqual([]);
  });
});

describe('The table of peers', () => {
  it('shows the figure of each, how much more it needs than Sluice, and where it is ahead', () => {
    const results = keptOf('in-process', {
      caption: 'One hot key, allowed; a fresh string for each decision',
      head: ['', 'ns of the processor each'],
      rows: [
        ['Sluice sliding window', 200],
        ['Sluice fixed window', 100],
        ['express-rate-limit', 300],
        ['rate-limiter-flexible', 181],
        ['@fastify/rate-limit', 179],
      ],
    });
    expect(peerTable(results).rows).toEqual([
      [expect.any(String), 200, 100, '300 (1.5)', '181 (0.91)', '**179 (0.9)**', ''],
    ]);
  });

  it('knows where more is better', () => {
    const results = keptOf('redis', {
      caption: '64 callers at once, 10,000 keys, allowed; server on a core of its own',
      head: ['', 'p50, µs', 'decisions, times the minimal script'],
      rows: [
        ['Sluice sliding window', 1, 2],
        ['rate-limit-redis', 1, 1],
        ['rate-limiter-flexible', 1, 4],
      ],
    });
    expect(peerTable(results).rows).toEqual([[expect.any(String), 2, '', '1 (2)', '**4 (0.5)**', '', '']]);
  });

  it('gives no ratio where limiting adds less than nothing', () => {
    const results = keptOf('http', http('refused', { Sluice: -4, '@fastify/rate-limit': 5 }));
    expect(peerTable(results).rows).toEqual([[expect.any(String), -4, '', '', '', '5', '']]);
    const behind = keptOf('http', http('refused', { Sluice: 5, '@fastify/rate-limit': -4 }));
    expect(peerTable(behind).rows[0]?.[5]).toBe('**-4**');
  });

  it('call no peer ahead over HTTP whose interval overlaps, and one by few processes in any case', () => {
    const medians = { Sluice: 5, '@fastify/rate-limit': 4 };
    expect(peerTable(keptOf('http', http('allowed', medians, 0.4))).rows[0]?.[5]).toBe('**4 (0.8)**');
    expect(peerTable(keptOf('http', http('allowed', medians, 0.5))).rows[0]?.[5]).toBe('4 (0.8)');
    const rows = Object.entries(medians).map(([name, median]) => [name, { median, least: 1, most: 9 }]);
    const expiry = { caption: 'Keys that expire', head: ['', 'in processor time, ms'], rows };
    expect(peerTable(keptOf('expiry', expiry)).rows[0]?.[5]).toBe('**4 (0.8)**');
  });
});

describe('The page of results', () => {
  it('has no summary of what was not kept', () => {
    expect(pageOf(keptOf('attack')).match(/^##? .*/gm)).toEqual([
      '# Results of the benchmarks',
      '## All tables',
      '## Title of attack',
    ]);
  });
});
