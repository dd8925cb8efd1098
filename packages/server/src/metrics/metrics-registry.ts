import type { LivePolicies } from '@sluice/config';
import { prometheusMetrics } from '@sluice/metrics';
import { Registry } from 'prom-client';
import type { ServiceCall } from '../service/service-call.js';
import { exportRequestMetrics } from './export-request-metrics.js';
import type { RequestMetrics } from './request-metrics.js';

/** Makes the registry behind `/metrics`. It reads what is counted in any case, when somebody asks for it. */
export function metricsRegistry(policies: LivePolicies<ServiceCall>, requestMetrics: RequestMetrics): Registry {
  const registry = new Registry();
  prometheusMetrics({ registry, policies });
  exportRequestMetrics(registry, requestMetrics);
  return registry;
}
