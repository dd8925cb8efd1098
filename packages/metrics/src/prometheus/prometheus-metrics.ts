import { optionError } from '@sluice/core/values';
import { CATALOGUE, type MetricId } from '../catalogue.js';
import { CallHistograms } from '../money/call-histograms.js';
import { CallMeasures } from '../money/call-measures.js';
import { checkedOptions, type MetricsOptions } from '../options.js';
import { SampleReader } from '../read/sample-reader.js';
import { CatalogueMetric } from './catalogue-metric.js';
import type { PrometheusClient, PrometheusRegistry } from './registry.js';
import { Turns } from './turns.js';

/** Options of `prometheusMetrics`. `client` or `registry` is needed. */
export interface PrometheusOptions extends MetricsOptions {
  /** The library that you use: prom-client 15, or `@prometheus-io/client` 0.16. */
  client?: PrometheusClient;
  /** The registry that shows the metrics. Default: `client.register`. */
  registry?: PrometheusRegistry;
  /** The beginning of each name: letters, digits, `_` and `:`. Default: `'sluice_'`. */
  prefix?: string;
}

const OPTIONS = ['client', 'registry', 'prefix'] as const;

/**
 * Shows what all limits of this process do in a registry of Prometheus metrics. Call it once, in any order with the
 * limiters: policies and stores that are made later are shown, too.
 *
 * The numbers are counted beside each decision in any case, and are read when Prometheus asks for them. So metrics cost
 * nothing per request. Labels come from your code or your policy file, and never from a request.
 *
 * @returns a function that removes the metrics from the registry
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * import client from 'prom-client';
 *
 * prometheusMetrics({ client });
 * app.get('/metrics', metricsHandler(client.register));
 */
export function prometheusMetrics(options: PrometheusOptions): () => void {
  const checked = checkedOptions(options, OPTIONS);
  const registry = registryOf(options);
  const prefix = checkPrefix(options.prefix ?? 'sluice_');
  const ids = Object.keys(CATALOGUE) as MetricId[];
  const taken = ids
    .map((id) => prefix + CATALOGUE[id].name)
    .find((name) => registry.getSingleMetric(name) !== undefined);
  if (taken) throw optionError('registry', `must not have a metric named ${taken} yet`, registry);
  const turns = new Turns();
  // Last, because it listens from now on.
  const reader = new SampleReader(checked, (policyOf) => [new CallHistograms(new CallMeasures(policyOf))]);
  const read = () => reader.read();
  const metrics = new Map(ids.map((id) => [prefix + CATALOGUE[id].name, new CatalogueMetric(id, prefix, read, turns)]));
  for (const metric of metrics.values()) registry.registerMetric(metric);
  return () => {
    reader.stop();
    // The registry may have been cleared, and used again.
    for (const [name, metric] of metrics) {
      if (registry.getSingleMetric(name) === metric) registry.removeSingleMetric(name);
    }
  };
}

const METHODS = ['metrics', 'registerMetric', 'getSingleMetric', 'removeSingleMetric'] as const;

function registryOf({ client, registry = client?.register }: PrometheusOptions): PrometheusRegistry {
  const path = client === undefined ? 'registry' : 'client';
  const rule = 'must be prom-client 15 or @prometheus-io/client 0.16, or a registry of them';
  if (!registry || METHODS.some((method) => typeof registry[method] !== 'function')) {
    throw optionError(path, rule, client ?? registry);
  }
  return registry;
}

function checkPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(prefix)) return prefix;
  throw optionError('prefix', 'must begin with a letter, and have only letters, digits, "_" and ":"', prefix);
}
