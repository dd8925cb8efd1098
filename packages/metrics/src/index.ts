/**
 * `@sluice/metrics`: what limits do, for Prometheus and OpenTelemetry.
 *
 * @module
 */

export type { LimitStatus, LivePolicyStatus as PolicyStatus } from '@sluice/core';
export { CATALOGUE, type Metric } from './catalogue.js';
export type { TextSource } from './handler/kept-text.js';
export {
  type MetricsContext,
  type MetricsHandler,
  type MetricsHandlerOptions,
  type MetricsReply,
  metricsHandler,
} from './handler/metrics-handler.js';
export type { BudgetSource, ReachedBudget } from './money/budget-keys.js';
export type { TierOf } from './money/tier-decisions.js';
export type {
  Attributes,
  InstrumentOptions,
  ObservableResult,
  OpenTelemetryMeter,
  RecordingHistogram,
} from './opentelemetry/meter.js';
export { type OpenTelemetryOptions, openTelemetryMetrics } from './opentelemetry/open-telemetry-metrics.js';
export type { MetricsOptions } from './options.js';
export { type PrometheusOptions, prometheusMetrics } from './prometheus/prometheus-metrics.js';
export type { PrometheusClient, PrometheusRegistry, RegisteredMetric } from './prometheus/registry.js';
export type { PolicySource } from './read/sample-reader.js';
export { type RefusedKey, type TopRefused, type TopRefusedOptions, topRefused } from './top/top-refused.js';
