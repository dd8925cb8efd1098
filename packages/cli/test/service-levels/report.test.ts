import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { PrometheusServer } from '@sluice/test-kit/debian/prometheus-server';
import { freePort } from '@sluice/test-kit/free-port';
import { levelExpressions, type ServiceLevels } from '../../src/service-levels/service-levels.js';
import { sluice } from '../test-io.js';
import { type HistorySeries, writeHistory } from './history.js';

debianProgram('prometheus');

const OCTOBER_MS = Date.UTC(2026, 9, 1);
const HOUR_MS = 3_600_000;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-report-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A clock of a machine on which it is this time. */
function clockAt(ms: number): ManualClock {
  return new ManualClock(ms);
}

const decisions = (policy: string, outcome: string, source: string, perMinute: number): HistorySeries => ({
  labels: { job: 'shop', instance: 'a', policy, outcome, source },
  perMinute,
});
const recorded = (policy: string, perMinute: number): HistorySeries => ({ labels: { job: 'shop', policy }, perMinute });

describe('the report of a real Prometheus', () => {
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    const data = writeHistory(folder, {
      fromMs: OCTOBER_MS - HOUR_MS,
      toMs: OCTOBER_MS + 12 * HOUR_MS,
      decisions: [
        decisions('api', 'allowed', 'store', 80),
        decisions('api', 'refused', 'store', 8),
        decisions('api', 'refused', 'local', 2),
        decisions('api', 'allowed', 'allow', 10),
        decisions('login', 'allowed', 'store', 9),
        decisions('login', 'refused', 'deny', 1),
        decisions('idle', 'allowed', 'store', 0),
      ],
      rates: {
        'policy:sluice_decisions:rate5m': [recorded('api', 100), recorded('login', 10), recorded('idle', 0)],
        'policy:sluice_limited:rate5m': [recorded('api', 10)],
        'policy:sluice_failed_open:rate5m': [recorded('api', 10)],
        'policy:sluice_failed_closed:rate5m': [recorded('login', 1)],
      },
    });
    prometheus = await PrometheusServer.start({ 'prometheus.yml': '' }, data);
  }, 100_000);

  afterAll(() => prometheus?.stop());

  it.each([
    ['what the rules have recorded', []],
    ['the counters', ['--from-counters']],
  ])('has the shares of a month, from %s', async (_what, more) => {
    const args = ['report', '--prometheus', prometheus.url, '--month', '2026-10', '--json', ...more];
    const { out, err } = await sluice(args, { clock: clockAt(OCTOBER_MS + 16 * HOUR_MS + 1) });
    expect(err).toBe('');
    const { policies, total, coverage, ...times } = JSON.parse(out) as ServiceLevels;
    expect(times).toMatchObject({
      month: '2026-10',
      from: '2026-10-01T00:00:00.000Z',
      to: '2026-10-01T16:00:00.000Z',
      broken: [],
    });
    expect(policies).toMatchObject([
      { job: 'shop', policy: 'api', limited: near(0.1), failedOpen: near(0.1), failedClosed: 0 },
      { job: 'shop', policy: 'login', limited: 0, failedOpen: 0, failedClosed: near(0.1) },
    ]);
    expect(total).toMatchObject({ limited: near(10 / 110), failedOpen: near(10 / 110), failedClosed: near(1 / 110) });
    // Nothing was read in the last four hours. The last sample counts a little longer.
    expect(coverage).toBeGreaterThan(0.74);
    expect(coverage).toBeLessThan(0.77);
    for (const [i, perMinute] of [100, 10].entries()) {
      expect((policies[i]?.requests ?? 0) / (12 * 60 * perMinute)).toBeCloseTo(1, 1);
    }
  });

  it('is of one job alone, which may have any name', async () => {
    const ofJob = (job: string) =>
      sluice(['report', '--prometheus', prometheus.url, '--month', '2026-10', '--job', job], {
        clock: clockAt(OCTOBER_MS + 12 * HOUR_MS),
      });
    expect((await ofJob('shop')).out).toContain('shop');
    expect(await ofJob('a"} or vector(1) #\\')).toMatchObject({
      exitCode: 3,
      out: '',
      err: expect.stringContaining('no requests of the job'),
    });
  });
});

function near(share: number): unknown {
  return expect.closeTo(share, 2);
}

describe('the report of a Prometheus', () => {
  let server: Server;
  /** What it was asked: the expressions and the times, and the fields of the last request. */
  let asked: { readonly query: string; readonly time: number }[];
  let fields: IncomingHttpHeaders;

  afterEach(() => void server?.close());

  /** Starts one that answers each expression with these samples. */
  async function start(
    answer: (query: string) => readonly (readonly [policy: string, value: string])[] | undefined,
    refusal?: { readonly status: number; readonly body: string },
  ): Promise<string> {
    asked = [];
    server = createServer(({ url = '', headers }, response) => {
      const { searchParams, pathname } = new URL(url, 'http://localhost');
      fields = headers;
      asked.push({ query: searchParams.get('query') ?? '', time: Number(searchParams.get('time')) });
      if (refusal) return void response.writeHead(refusal.status, { location: '/else' }).end(refusal.body);
      if (pathname !== '/prefix/api/v1/query') return void response.writeHead(404).end('not found');
      const samples = answer(searchParams.get('query') ?? '') ?? [];
      const result = samples.map(([policy, value]) => ({ metric: { job: 'shop', policy }, value: [0, value] }));
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
  }

  /** A month of 31 days with a million requests, of which little failed. */
  const october = (query: string): readonly (readonly [string, string])[] => {
    if (query.startsWith('count_over_time')) return [['', '8928']];
    if (query.includes('limited')) return [['api', '92100']];
    if (query.includes('failed_open')) return [['api', '340']];
    if (query.includes('failed_closed')) return [['a|b', '4']];
    return [
      ['api', '1000000'],
      ['a|b', '1000000.4'],
      ['idle', '0'],
      ['odd', 'NaN'],
    ];
  };

  const run = async (url: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    sluice(['report', '--prometheus', url, ...args], { clock: clockAt(Date.UTC(2026, 10, 1, 0, 3)), env });

  it('is about the last month that is over, and is a table', async () => {
    const { exitCode, out, err } = await run(await start(october));
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toBe(
      [
        'October 2026 (UTC)',
        '',
        'job    policy    requests   limited   failed open   failed closed',
        'shop   api      1,000,000    9.21 %       0.034 %             0 %',
        'shop   a|b      1,000,000       0 %           0 %       < 0.001 %',
        'all             2,000,000     4.6 %       0.017 %       < 0.001 %',
        '',
      ].join('\n'),
    );
    expect(asked).toHaveLength(5);
    expect(asked.every(({ time }) => time * 1000 === Date.UTC(2026, 10, 1))).toBe(true);
    expect(fields.authorization).toBeUndefined();
  });

  it('is Markdown, in which names are only text', async () => {
    const { out } = await run(await start(october), ['--markdown']);
    expect(out).toContain('# Service levels: October 2026 (UTC)\n\n| job | policy | requests |');
    expect(out).toContain('\n| shop | a\\|b | 1,000,000 | 0 % | 0 % | < 0.001 % |\n');
  });

  it('ends with 1 if a promise was not kept, and says which', async () => {
    const url = await start(october);
    const kept = ['--max-limited', '10', '--max-failed-open', '0.05%', '--max-failed-closed', '0'];
    const { exitCode, out } = await run(url, kept);
    expect([exitCode, out.split('\n').slice(-3)]).toEqual([
      1,
      ['', 'shop a|b: < 0.001 % failed closed, and 0 % at most is promised', ''],
    ]);
    const inJson = JSON.parse((await run(url, ['--max-failed-open', '0.01', '--json'])).out);
    expect(inJson.broken).toEqual([{ job: 'shop', policy: 'api', part: 'failedOpen', share: 0.00034, most: 0.0001 }]);
    expect((await run(url, ['--max-limited', '9.3', '--max-failed-open', '0.1'])).exitCode).toBe(0);
  });

  it('says for which part of the time there are numbers', async () => {
    const { out } = await run(
      await start((query) => (query.startsWith('count_over_time') ? [['', '4464']] : october(query))),
    );
    expect(out).toContain('\nPrometheus has numbers for 50 % of this time only.\n');
  });

  it('sends a token, and only if there is one', async () => {
    const url = await start(october);
    await run(url, [], { PROMETHEUS_TOKEN: 'abc' });
    expect(fields.authorization).toBe('Bearer abc');
    const file = join(folder, 'token');
    writeFileSync(file, 'def\n');
    await run(url, ['--token-file', file]);
    expect(fields.authorization).toBe('Bearer def');
  });

  it.each<[what: string, status: number, body: string, says: string]>([
    ['refuses the token', 401, 'no', 'refuses the token, or wants one (status 401)'],
    ['does not know the expression', 400, '{"status":"error","error":"parse error"}', 'cannot answer: parse error'],
    ['is none', 200, '<html>', 'status 200, and no JSON'],
    ['is another service', 200, '{"data":{"result":"none"}}', 'status 200, and no numbers'],
    ['sends elsewhere', 302, '', 'redirect'],
  ])('ends with 3 if it %s', async (_what, status, body, says) => {
    expect(await run(await start(october, { status, body }))).toMatchObject({
      exitCode: 3,
      out: '',
      err: expect.stringContaining(says),
    });
  });

  it('ends with 3 if nobody answers, or nothing was recorded', async () => {
    const url = await start(() => []);
    expect(await run(url)).toMatchObject({ exitCode: 3, err: expect.stringContaining('use --from-counters') });
    expect((await run(url, ['--from-counters'])).err).not.toContain('--from-counters');
    expect(await run(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('nothing listens there'),
    });
  });

  it.each([
    ['--month', '2026-13'],
    ['--month', '2026-11'],
    ['--month', 'October'],
    ['--max-failed-open', '101'],
    ['--max-limited', 'few'],
    ['--prometheus', 'http://ann:secret@localhost'],
  ])('ends with 2 for %s %s', async (...args) => {
    const ended = await run(await start(october), args);
    expect([ended.exitCode, ended.out]).toEqual([2, '']);
    expect(ended.err).not.toContain('secret');
  });
});

it('expressions cover a month once, in steps of five minutes', () => {
  const month = { name: '2026-02', fromMs: Date.UTC(2026, 1), endMs: Date.UTC(2026, 2) };
  expect(levelExpressions({ month, job: 'api' })).toMatchObject({
    requests: 'sum by (job, policy) (sum_over_time(policy:sluice_decisions:rate5m{job="api"}[40319m:5m])) * 300',
    steps: 'count_over_time(group(policy:sluice_decisions:rate5m{job="api"})[40319m:5m])',
  });
  expect(levelExpressions({ month, fromCounters: true }).limited).toBe(
    'sum by (job, policy) (sum_over_time(sum by (job, policy) (rate(sluice_decisions_total{outcome="refused", source=~"store|local"}[5m]))[40319m:5m])) * 300',
  );
});
