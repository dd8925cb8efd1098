import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AlertmanagerServer } from '@sluice/test-kit/debian/alertmanager-server';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { PrometheusServer } from '@sluice/test-kit/debian/prometheus-server';
import { freePort } from '@sluice/test-kit/free-port';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { dashboardFiles } from '../../dashboards/dashboard.js';
import { alertmanagerFile, prometheusFiles } from './observe-files.js';
import { MODES, type ObservedApp, startObservedApp } from './observed-app.js';

const PROMTOOL = debianProgram('promtool');
debianProgram('prometheus');
debianProgram('prometheus-alertmanager');

/** The proof sends as many requests as the figures say, and holds alerts to their time. */
const isFull = process.env.SLUICE_OBSERVE === 'full';
const REQUESTS = isFull ? 1000 : 60;
const ALLOWED = REQUESTS * 0.6;
/** From a frozen Redis to the alerts, and from its return to their end. */
const IN_TIME_MS = 10_000;

/** Some reads: a query that has no series by then has none. */
const ANSWERED_MS = 20_000;

/** That of the decision service has a test of its own. */
const DASHBOARDS = [...dashboardFiles()].filter(([file]) => file !== 'sluice-server.json');

/** How often metrics are read, and how long one text of them is shown. A slow machine needs so long to read one. */
const EVERY_MS = 1000;
const KEPT_MS = 1000;
/** How long a minute of the rules is: their ranges have two reads at least. */
const MINUTE_MS = 600;

let server: RedisServer;
let clients: Redis[];
let app: ObservedApp;
let prometheus: PrometheusServer;
let otel: PrometheusServer;
let alertmanager: AlertmanagerServer;
/** What the clients of each mode were answered. */
const statuses = new Map<string, ReadonlyMap<number, number>>();

beforeAll(async () => {
  server = await RedisServer.start();
  const gone = new Redis({ port: await freePort(), retryStrategy: () => 1000, disconnectTimeout: 0 });
  clients = [new Redis(server.nearest), gone];
  for (const client of clients) client.on('error', () => {});
  app = await startObservedApp(clients[0] as Redis, gone, ALLOWED);
  alertmanager = await AlertmanagerServer.start(alertmanagerFile(await freePort()));
  [prometheus, otel] = await Promise.all([
    PrometheusServer.start(
      prometheusFiles({
        metricsPort: app.metricsPort,
        alertmanager: new URL(alertmanager.url).host,
        everyMs: EVERY_MS,
        minuteMs: MINUTE_MS,
      }),
    ),
    PrometheusServer.start(prometheusFiles({ metricsPort: app.otelPort, everyMs: EVERY_MS, minuteMs: MINUTE_MS })),
  ]);
  for (const mode of MODES) statuses.set(mode, await send(mode, REQUESTS));
  for (const path of ['slow', 'slots', 'line']) await send(path, 5);
  await send('model', 20);
  await Promise.all([prometheus, otel].map(untilRead));
}, 180_000);

afterAll(async () => {
  for (const client of clients ?? []) client.disconnect();
  await Promise.all([app, prometheus, otel, alertmanager, server].map((one) => one?.stop()));
}, 180_000);

/** Sends so many requests, several at a time, and counts the answers by their status. */
async function send(path: string, count: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let left = count;
  const sendOn = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { status } = await fetch(`${app.url}/${path}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 10 }, sendOn));
  return statuses;
}

/** Resolves when a Prometheus has read a text that was made after now, and one before it. */
async function untilRead(reader: PrometheusServer): Promise<void> {
  const afterS = (Date.now() + KEPT_MS + 2 * EVERY_MS) / 1000;
  await until(async () => (await reader.valueOf('min(timestamp(sluice_decisions_total))')) > afterS, 50);
}

describe('A real Prometheus', () => {
  it.each(MODES)('has exactly as many decisions and refusals as the client of %s', async (mode) => {
    const refusals = statuses.get(mode)?.get(429) ?? 0;
    const sum = (labels: string): Promise<number> =>
      prometheus.valueOf(`sum(sluice_decisions_total{policy="${mode}"${labels}})`);
    // A read that failed meanwhile would hide everything until the next one.
    await until(async () => (await sum('')) >= 0, 100);
    const source = mode === 'local' ? 'local' : 'store';
    const counted = {
      all: await sum(''),
      bySource: await sum(`, source="${source}"`),
      refused: await sum(', outcome="refused"'),
      shadowed: await sum(', outcome="shadowed"'),
    };
    const above = REQUESTS - ALLOWED;
    const expected = mode === 'shadow' ? { refused: 0, shadowed: above } : { refused: above, shadowed: 0 };
    expect(counted).toEqual({ all: REQUESTS, bySource: REQUESTS, ...expected });
    expect(refusals).toBe(counted.refused);
    process.stdout.write(`observe: ${mode}: ${counted.all} decisions, ${counted.refused} refused = ${refusals} 429s\n`);
  });

  it('reads names and units that promtool accepts', async () => {
    const checking = execFile(PROMTOOL, ['check', 'metrics']);
    let found = '';
    checking.stderr?.on('data', (text) => {
      found += text;
    });
    checking.stdin?.end(await app.registry.metrics());
    const [code] = await once(checking, 'close');
    expect([code, found]).toEqual([0, '']);
  });
});

interface Board {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

/** The queries of a dashboard, as Grafana would send them. */
function queriesOf(text: string): [name: string, expr: string][] {
  const filled = (expr: string): string =>
    expr.replaceAll('$__rate_interval', '10s').replaceAll('$policy', '.*').replaceAll('$limit', '.*');
  const { panels } = JSON.parse(text) as Board;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [title, filled(expr)]),
  );
}

/** The expressions of the rules, with 0 or 1 in place of nothing where a threshold is not reached. */
function ruleExpressions(): [name: string, expr: string][] {
  const text = readFileSync(join(__dirname, '../../prometheus/sluice.rules.yml'), 'utf8');
  const { groups } = parse(text) as { groups: { rules: { alert?: string; record?: string; expr: string }[] }[] };
  const rules = groups.flatMap(({ rules }) => rules);
  return rules.map(({ alert, record = alert, expr }) => [
    record as string,
    expr.replaceAll(/(==|>|<) ([\d.]+)/g, '$1 bool $2'),
  ]);
}

describe('A real Prometheus answers', () => {
  it.each(DASHBOARDS)('every query of %s with a series at least', async (file, text) => {
    const queries = queriesOf(text);
    await untilAnswered(file === 'sluice.json' ? prometheus : otel, queries);
    process.stdout.write(`observe: ${queries.length} of ${queries.length} queries of ${file} have series\n`);
  });

  it('every expression of the rules with a series at least', async () => {
    const rules = ruleExpressions();
    await untilAnswered(prometheus, rules);
    process.stdout.write(`observe: ${rules.length} of ${rules.length} expressions of the rules have series\n`);
  });
});

/** Resolves when every query has a series. A read that failed meanwhile hides everything until the next one. */
async function untilAnswered(
  reader: PrometheusServer,
  queries: readonly (readonly [name: string, expr: string])[],
): Promise<void> {
  const endMs = performance.now() + ANSWERED_MS;
  let missing = queries;
  do {
    const counts = await Promise.all(missing.map(async ([, expr]) => (await reader.query(expr)).length));
    missing = missing.filter((_, i) => counts[i] === 0);
  } while (missing.length > 0 && performance.now() < endMs);
  expect(missing).toEqual([]);
}

describe('When Redis is frozen', () => {
  const EXPECTED = ['SluiceBreakerOpen', 'SluiceDegraded'];

  /** Of these two, those that Prometheus fires and Alertmanager has. */
  async function firing(): Promise<readonly string[]> {
    const inPrometheus = (await prometheus.alerts()).filter(
      ({ labels, state }) => state === 'firing' && (labels.policy ?? labels.store) === 'frozen',
    );
    const received = await alertmanager.alerts();
    const isReceived = (name = ''): boolean =>
      received.some(({ labels }) => labels.alertname === name && (labels.policy ?? labels.store) === 'frozen');
    const names = inPrometheus.map(({ labels }) => labels.alertname ?? '');
    return EXPECTED.filter((name) => names.includes(name) && isReceived(name));
  }

  async function ended(): Promise<boolean> {
    const known = [...(await prometheus.alerts()), ...(await alertmanager.alerts())];
    return !known.some(
      ({ labels }) => EXPECTED.includes(labels.alertname ?? '') && (labels.policy ?? labels.store) === 'frozen',
    );
  }

  /** Sends requests until something is so, and returns how long it took. */
  async function msUntil(isSo: () => Promise<boolean>): Promise<number> {
    const startMs = performance.now();
    let isOver = false;
    const sendOn = async (): Promise<void> => {
      while (!isOver) {
        await send('frozen', 1);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    };
    const sending = sendOn();
    await until(isSo, 50).finally(() => {
      isOver = true;
    });
    await sending;
    return performance.now() - startMs;
  }

  it('alerts fire and reach Alertmanager, and end when it is back', async () => {
    await server.freeze();
    const firedMs = await msUntil(async () => (await firing()).length === EXPECTED.length);
    await server.thaw();
    const endedMs = await msUntil(ended);
    process.stdout.write(
      `observe: alerts at Alertmanager after ${(firedMs / 1000).toFixed(1)} s, ended after ${(endedMs / 1000).toFixed(1)} s\n`,
    );
    if (isFull) expect(Math.max(firedMs, endedMs)).toBeLessThan(IN_TIME_MS);
  });
});
