import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { PrometheusServer } from '@sluice/test-kit/debian/prometheus-server';
import { until } from '@sluice/test-kit/until';
import { RealServer, type ServerProcess } from '../../../server/test/program/real-server.js';
import { dashboardFiles } from '../../dashboards/dashboard.js';

debianProgram('prometheus');

const TOKEN = 'a-read-token-for-prometheus';

const POLICIES = `version: 1
policies:
  api: { limits: [{ name: minute, limit: 5, window: 1m }, { name: trial, limit: 1, window: 1m, enforce: 0 }] }
`;

const RULES = readFileSync(join(__dirname, '../../prometheus/sluice-server.rules.yml'), 'utf8');

let server: RealServer;
let service: ServerProcess;
let prometheus: PrometheusServer;
let traffic: number;

beforeAll(async () => {
  server = await RealServer.build();
  service = server.serve(server.write('sluice.yaml', POLICIES), [], { SLUICE_READ_TOKEN: TOKEN });
  const ports = await service.ready();
  traffic = ports.traffic;
  prometheus = await PrometheusServer.start({
    'prometheus.yml': `
global: { scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms }
rule_files: [sluice-server.rules.yml]
scrape_configs:
  - job_name: sluice
    authorization: { credentials: ${TOKEN} }
    static_configs: [{ targets: ["127.0.0.1:${ports.admin}"] }]
`,
    // A minute of the rules is a second here.
    'sluice-server.rules.yml': RULES.replaceAll(
      /(\[|for: )(\d+)(m|s)\b/g,
      (_, before, count, unit) => `${before}${unit === 'm' ? Number(count) * 1000 : 500}ms`,
    ),
  });
  await until(async () => (await prometheus.valueOf('up{job="sluice"}')) === 1, 100);
}, 180_000);

afterAll(async () => {
  await prometheus?.stop();
  await server?.remove();
}, 60_000);

const ask = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${traffic}${path}`)).status;

interface Board {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

/** Panels about what this service does not have: a store elsewhere, lines, delays, slots. */
const ABSENT = /^(Open breakers|Round trips|Errors by kind|Requests that wait|Waiting time|Delay of|Slots in use)/;

describe('A real Prometheus that reads a real service', () => {
  it('has data for every panel of its dashboard that is about it', async () => {
    const { panels } = JSON.parse(dashboardFiles().get('sluice-server.json') as string) as Board;
    const queries = panels
      .filter(({ title }) => !ABSENT.test(title))
      .flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    const filled = (expr: string): string =>
      expr.replaceAll('$__rate_interval', '10s').replaceAll('$policy', '.*').replaceAll('$limit', '.*');
    let missing = queries;
    const endMs = performance.now() + 20_000;
    do {
      await Promise.all(['/v1/forward-auth/api', '/v1/auth-request/api'].map(ask));
      const counts = await Promise.all(missing.map(async ({ expr }) => (await prometheus.query(filled(expr))).length));
      missing = missing.filter((_, i) => counts[i] === 0);
    } while (missing.length > 0 && performance.now() < endMs);
    expect(missing).toEqual([]);
  }, 60_000);

  const firing = async (): Promise<string[]> =>
    (await prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname ?? '');

  it('fires for a single request about an unknown policy, and for a service that is down', async () => {
    // A slow machine may have let a decision wait too long.
    await until(async () => (await firing()).length === 0, 100);
    expect(await ask('/v1/forward-auth/gone')).toBe(404);
    await until(async () => (await firing()).includes('SluiceServerUnknownPolicy'), 100);
    service.signal('SIGKILL');
    await until(async () => (await firing()).includes('SluiceServerDown'), 100);
  }, 60_000);
});
