import { describe, expect, it } from '@jest/globals';
import { stopwatchMs } from '@sluice/core/values';
import { Registry } from 'prom-client';
import { exportRequestMetrics } from '../../src/metrics/export-request-metrics.js';
import { RequestMetrics } from '../../src/metrics/request-metrics.js';

describe('the metrics of requests', () => {
  it('show how often each protocol has answered with each code, and how long it took', async () => {
    const requestMetrics = new RequestMetrics();
    const registry = new Registry();
    exportRequestMetrics(registry, requestMetrics);
    const metrics = requestMetrics.of('auth_request');
    metrics.record(204, stopwatchMs());
    metrics.record(204, stopwatchMs() - 500);
    metrics.record(403, stopwatchMs() - 60_000);
    requestMetrics.of('rls').record('OK', stopwatchMs());
    const text = await registry.metrics();
    expect(text).toContain('sluice_server_requests_total{protocol="auth_request",code="204"} 2\n');
    expect(text).toContain('sluice_server_requests_total{protocol="auth_request",code="403"} 1\n');
    expect(text).toContain('sluice_server_requests_total{protocol="rls",code="OK"} 1\n');
    const bucket = (le: string): number =>
      Number(new RegExp(`_bucket\\{le="${le}",protocol="auth_request"\\} (\\d+)`).exec(text)?.[1]);
    expect([bucket('0.25'), bucket('1'), bucket('\\+Inf')]).toEqual([1, 2, 3]);
    expect(text).toContain('sluice_server_request_duration_seconds_count{protocol="auth_request"} 3\n');
    expect(Number(/_sum\{protocol="auth_request"\} ([\d.]+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(60.5);
  });
});
