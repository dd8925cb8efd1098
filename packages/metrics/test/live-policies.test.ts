import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fromFile, type LivePolicies, policies } from '@sluice/config';
import { createLimiter, MemoryStore } from '@sluice/core';
import promClient from 'prom-client';
import { prometheusMetrics } from '../src/index.js';
import { parseText, sumOf } from './parse-text.js';

interface CustomerRequest {
  readonly method: string;
  readonly url: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string>>;
}

const yaml = (enforcement: string, pro: number): string => `version: 1
enforcement: ${enforcement}
keys:
  customer: code
tiers:
  free: { minute: { limit: 2, window: 1m } }
  pro: { minute: { limit: ${pro}, window: 1m } }
customers:
  acme: { tier: pro }
policies:
  api:
    key: customer
    tier: { from: customers, default: free }
    limits: [{ name: minute, tier: true }]
`;

let folder: string;
let file: string;
let live: LivePolicies<CustomerRequest>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-metrics-'));
  file = join(folder, 'sluice.yaml');
});

afterEach(async () => {
  await live?.close();
  rmSync(folder, { recursive: true });
});

it('shows the tiers, revisions and reloads of a real policy file', async () => {
  writeFileSync(file, yaml('on', 5));
  const keys = { customer: (request: CustomerRequest) => request.headers.customer as string };
  live = await policies({ source: fromFile(file), store: new MemoryStore(), keys });
  const registry = new promClient.Registry();
  prometheusMetrics({ registry, policies: live });
  const scrape = async () => parseText(await registry.metrics());
  const limiter = createLimiter(live.policy('api'));
  const request = { method: 'GET', url: '/', ip: '10.0.0.1' };
  const ask = (customer: string) => limiter.consume({ ...request, headers: { customer } });
  for (const customer of ['acme', 'acme', 'acme', 'ann', 'ann', 'ann']) await ask(customer);

  const first = await scrape();
  const { revision } = live;
  expect(sumOf(first, 'sluice_decisions_total', { policy: 'api' })).toBe(6);
  expect(sumOf(first, 'sluice_decisions_total', { policy: 'api', outcome: 'refused' })).toBe(1);
  expect([...first].filter(([key]) => key.startsWith('sluice_limit_quota'))).toEqual([
    ['sluice_limit_quota{limit="minute",policy="api",tier="free"}', 2],
    ['sluice_limit_quota{limit="minute",policy="api",tier="pro"}', 5],
  ]);
  expect(first.get(`sluice_policy_file_info{revision="${revision}"}`)).toBe(1);
  expect(first.get('sluice_enforcement_mode{mode="on"}')).toBe(1);
  expect(first.get('sluice_policy_last_reload_success_timestamp_seconds{}')).toBeGreaterThan(1_700_000_000);

  writeFileSync(file, yaml('shadow', 6));
  await live.reload();
  const second = await scrape();
  expect([...second.keys()].filter((key) => key.startsWith('sluice_policy_file_info'))).toEqual([
    `sluice_policy_file_info{revision="${live.revision}"}`,
  ]);
  expect(live.revision).not.toBe(revision);
  expect(second.get('sluice_limit_quota{limit="minute",policy="api",tier="pro"}')).toBe(6);
  expect(second.get('sluice_enforcement_mode{mode="shadow"}')).toBe(1);
  expect(second.get('sluice_policy_reloads_total{outcome="applied"}')).toBe(
    1 + (first.get('sluice_policy_reloads_total{outcome="applied"}') as number),
  );

  writeFileSync(file, 'version: 1\npolicies: 5\n');
  await live.reload();
  const third = await scrape();
  expect(third.get('sluice_policy_reloads_total{outcome="rejected"}')).toBe(1);
  expect(third.get('sluice_policy_last_reload_successful{}')).toBe(0);
  expect(third.get(`sluice_policy_file_info{revision="${live.revision}"}`)).toBe(1);
});
