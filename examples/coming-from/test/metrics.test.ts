import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { CATALOGUE, prometheusMetrics, topRefused } from '@sluice/metrics';
import { Registry } from 'prom-client';

// Rows of a table in packages/metrics/docs/watching-limits.md, which says what metrics of others are called here.

const page = (path: string): string =>
  readFileSync(require.resolve(`@sluice/metrics/package.json`).replace('package.json', path), 'utf8');

/** A tier has a policy of its own, whose name has the endpoint, too. */
function ask(users: number): void {
  const free = createLimiter({ name: `chat-free-${users}`, limit: 2, window: '1m' });
  for (let user = 0; user < users; user += 1) for (let i = 0; i < 3; i += 1) free.consume(`user-${user}`);
}

it('S16: rate_limit_requests_total by tier, endpoint and result is sluice_decisions_total by policy and outcome', async () => {
  const registry = new Registry();
  const remove = prometheusMetrics({ registry });
  ask(1);
  const text = await registry.metrics();
  remove();
  expect(text).toMatch(/sluice_decisions_total\{policy="chat-free-1",outcome="allowed",source="store"\} 2\n/);
  expect(text).toMatch(/sluice_decisions_total\{policy="chat-free-1",outcome="refused",source="store"\} 1\n/);
});

it('S16: a thousand users add no series, because no label is a user', async () => {
  const registry = new Registry();
  const remove = prometheusMetrics({ registry });
  ask(2);
  ask(1000);
  const lines = (await registry.metrics()).split('\n');
  remove();
  const seriesOf = (policy: string) => lines.filter((line) => line.includes(`policy="${policy}"`)).length;
  expect(seriesOf('chat-free-2')).toBeGreaterThan(3);
  expect(seriesOf('chat-free-1000')).toBe(seriesOf('chat-free-2'));
  expect(Object.values(CATALOGUE).flatMap(({ labels }) => labels)).not.toContain('user');
});

it('S16: the panel of the top ten is topRefused', () => {
  const top = topRefused({ describeKey: (key) => key });
  ask(20);
  const list = top.list(10);
  top.stop();
  expect(list).toHaveLength(10);
  expect(list[0]).toMatchObject({ policy: 'chat-free-20', refusals: 1 });
});

it('S16: the panels for the refusal ratio and for the cost of a tier exist, and so does the alert on the ratio', () => {
  const dashboard = page('grafana/sluice.json');
  expect(dashboard).toContain('Refused share by policy');
  expect(dashboard).toContain('sluice_units_spent_total');
  expect(page('prometheus/sluice.rules.yml')).toMatch(/alert: SluiceManyRefusals\n[\s\S]{0,200}> 0\.2/);
});
