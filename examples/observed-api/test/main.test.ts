import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@sluice/test-kit/until';
import { bundle, start, stopAll } from '../../shared/test/program.js';

const { METRICS_PORT, POLICIES } = process.env;
const lines: string[] = [];

let folder: string;
let policies: string;
let program: Awaited<ReturnType<typeof start>>;
let metricsUrl: string;
/** Requests of `acme` that were refused. */
let refused = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-observed-'));
  policies = join(folder, 'sluice.yaml');
  copyFileSync(join(__dirname, '../policies/sluice.yaml'), policies);
  Object.assign(process.env, { METRICS_PORT: '0', POLICIES: policies });
  program = await start(await bundle(join(__dirname, '../src/main.ts')));
  createInterface(program.child.stdout).on('line', (line) => lines.push(line));
  metricsUrl = /http:\/\/localhost:\d+(?=\/metrics)/.exec(program.hints.join('\n'))?.[0] ?? '';
}, 120_000);

afterAll(() => {
  stopAll();
  rmSync(folder, { recursive: true });
  for (const [name, value] of Object.entries({ METRICS_PORT, POLICIES })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

async function statusesOf(count: number, path: string, init: RequestInit = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i += 1) statuses.push((await fetch(program.url + path, init)).status);
  return statuses;
}

/** A series of the metrics, read anew. */
async function metric(series: string): Promise<number> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.split(' ')[1]);
}

function change(from: string, to: string): void {
  const text = readFileSync(policies, 'utf8');
  if (!text.includes(from)) throw new Error(`${from} is not in the policy file`);
  writeFileSync(policies, text.replace(from, to));
}

describe('The observed API', () => {
  it('prints an example for every route, and where its metrics and its policy file are', () => {
    for (const path of ['/v1/quotes', '/search', '/login', '/exports']) {
      expect(program.hints.some((line) => line.includes('curl') && line.includes(program.url + path))).toBe(true);
    }
    expect(program.hints.join('\n')).toContain(policies);
    expect(metricsUrl).not.toBe('');
  });

  it('limits by its policy file: plans, a block, a limit that only counts, and guesses', async () => {
    const asking = (key: string): RequestInit => ({ headers: { 'x-api-key': key } });
    // Of a free plan, ten at once pass, and two a second later.
    const acme = await Promise.all(Array.from({ length: 30 }, () => statusesOf(1, '/v1/quotes', asking('acme'))));
    refused = acme.flat().filter((status) => status === 429).length;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(20);
    expect(await statusesOf(12, '/v1/quotes', asking('globex'))).toEqual(Array(12).fill(200));
    expect(await statusesOf(1, '/v1/quotes', asking('mallory'))).toEqual([403]);
    expect(await statusesOf(40, '/search')).toEqual(Array(40).fill(200));
    expect(await statusesOf(6, '/login', { method: 'POST' })).toEqual([...Array(5).fill(401), 429]);
    expect(await statusesOf(1, '/health')).toEqual([200]);
    // Two run at once, and the third waits for its turn.
    const exported = await Promise.all(Array.from({ length: 3 }, () => statusesOf(1, '/exports')));
    expect(exported).toEqual([[200], [200], [200]]);
  });

  it('shows what the limits did, the limits of each plan and the policy file in its metrics', async () => {
    const decisions = (policy: string, outcome: string): string =>
      `sluice_decisions_total{policy="${policy}",outcome="${outcome}",source="store"}`;
    await until(async () => (await metric(decisions('login', 'refused'))) === 1, 50);
    expect(await metric(decisions('quotes', 'allowed'))).toBe(42 - refused);
    expect(await metric(decisions('quotes', 'refused'))).toBe(refused);
    expect(await metric(decisions('search', 'shadowed'))).toBe(10);
    expect(await metric('sluice_limit_quota{policy="quotes",limit="minute",tier="pro"}')).toBe(600);
    expect(await metric('sluice_wait_seconds_count{policy="exports"}')).toBe(1);
    expect(await metric('sluice_policy_last_reload_successful')).toBe(1);
    expect(await metric('sluice_enforcement_mode{mode="on"}')).toBe(1);
  });

  it('applies a change of the policy file while it runs, and keeps what was spent', async () => {
    change('enforce: 0', 'enforce: 1');
    await until(async () => (await statusesOf(1, '/search'))[0] === 429, 50);
    expect(lines.some((line) => line.endsWith(': applied'))).toBe(true);
  });

  it('says what is wrong with a broken policy file, and decides on by the one before', async () => {
    change('limit: 30, window: 1m', 'limit: 30, window: 1 fortnight');
    await until(() => lines.some((line) => /^ {2}line \d+, column \d+: .*window/.test(line)), 50);
    expect(await statusesOf(1, '/search')).toEqual([429]);
    await until(async () => (await metric('sluice_policy_last_reload_successful')) === 0, 50);
  });

  it('says that a policy file is gone, and decides on by the last one', async () => {
    renameSync(policies, `${policies}.old`);
    // The reason is in the line after the one that says so.
    await until(() => lines.some((line) => line.includes('ENOENT')), 50);
    expect(lines.some((line) => line.startsWith('Policies could not be read'))).toBe(true);
    expect(lines.find((line) => line.includes('ENOENT'))).not.toContain('line 1');
    expect(await statusesOf(1, '/search')).toEqual([429]);
    renameSync(`${policies}.old`, policies);
  });

  it('prints the alerts that Alertmanager sends, and refuses what is none', async () => {
    const alert = (status: string) => ({
      status,
      labels: { alertname: 'SluiceDegraded' },
      annotations: { summary: 'The store is gone.' },
    });
    const post = async (body: string): Promise<number> =>
      (await fetch(`${metricsUrl}/alerts`, { method: 'POST', body })).status;
    expect(await post(JSON.stringify({ alerts: [alert('firing'), alert('resolved')] }))).toBe(204);
    expect(await post('{"alerts": 7}')).toBe(400);
    await until(() => lines.includes('RESOLVED SluiceDegraded: The store is gone.'), 10);
    expect(lines).toContain('FIRING SluiceDegraded: The store is gone.');
  });

  it('shows metrics on their own port alone, and that to this machine alone', async () => {
    expect(await statusesOf(1, '/metrics')).toEqual([404]);
    expect((await fetch(`${metricsUrl}/v1/quotes`)).status).toBe(404);
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal);
    if (!outside) return;
    const { port } = new URL(metricsUrl);
    await expect(fetch(`http://${outside.address}:${port}/metrics`)).rejects.toThrow();
  });

  it('ends on SIGINT', async () => {
    program.child.kill('SIGINT');
    expect(await program.exited).toEqual([0, null]);
  });
});
