import assert from 'node:assert/strict';
import test from 'node:test';
import { createLimiter } from '@sluice/core';
import { metricsHandler, openTelemetryMetrics, prometheusMetrics, topRefused } from '@sluice/metrics';
import client from 'prom-client';

test('The registry of prom-client shows the decisions of a limiter', async () => {
  prometheusMetrics({ client });
  const top = topRefused({ describeKey: (key) => key });
  const limiter = createLimiter({ name: 'mails', limit: 1, window: '1m' });
  limiter.consume('ann');
  limiter.consume('ann');
  top.stop();
  const response = await metricsHandler(client.register)();
  const text = await response.text();
  assert.match(text, /^sluice_decisions_total\{policy="mails",outcome="refused",source="store"\} 1$/m);
  assert.deepEqual(top.list(), [{ policy: 'mails', limit: 'mails', key: 'ann', refusals: 1, maxError: 0 }]);
});

test('OpenTelemetry is not needed by those who do not use it', () => {
  assert.throws(() => openTelemetryMetrics({}), { code: 'SLUICE_OPTION' });
});
