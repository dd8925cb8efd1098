import type { Registry } from 'prom-client';
import { UP_TO_MS } from './protocol-metrics.js';
import type { RequestMetrics } from './request-metrics.js';

/** One line of a metric, as prom-client knows it. */
interface Line {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** A metric that has no numbers of its own: it reads the metrics of requests when it is asked. */
interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram';
  readonly aggregator: 'sum';
  get(): Promise<object>;
  reset(): void;
}

/**
 * Exports the metrics of requests. Requests write no metric of a library: that of prom-client costs half a microsecond, and a histogram
 * more than one, and this costs only when somebody reads it.
 */
export function exportRequestMetrics(registry: Registry, requestMetrics: RequestMetrics): void {
  const metrics = [
    readMetric('sluice_server_requests_total', 'counter', 'Answers of the decision service.', () =>
      requests(requestMetrics),
    ),
    readMetric(
      'sluice_server_request_duration_seconds',
      'histogram',
      'How long an answer took, from the request read to the answer written.',
      (name) => durations(requestMetrics, name),
    ),
  ];
  // The registry takes whatever has `get`, but its type wants a metric of the library.
  for (const metric of metrics) registry.registerMetric(metric as never);
}

function readMetric(
  name: string,
  type: ReadMetric['type'],
  help: string,
  linesOf: (name: string) => readonly Line[],
): ReadMetric {
  return {
    name,
    help,
    type,
    aggregator: 'sum',
    get: async () => ({ name, help, type, aggregator: 'sum', values: linesOf(name) }),
    reset() {},
  };
}

/**
 * The codes that alerts are about. They begin at 0 before the first of them comes: Prometheus takes a series that begins at 1 for one
 * that has not grown.
 */
const ALERTED = { http: [404, 500, 503], grpc: ['NOT_FOUND', 'INTERNAL'] } as const;

function requests(requestMetrics: RequestMetrics): readonly Line[] {
  return [...requestMetrics.entries()].flatMap(([protocol, { byCode }]) => {
    const alerted = ALERTED[protocol === 'rls' ? 'grpc' : 'http'];
    const known = new Map<number | string, number>([...alerted.map((code) => [code, 0] as const), ...byCode]);
    return [...known].map(([code, value]) => ({ labels: { protocol, code }, value }));
  });
}

/** A bucket of Prometheus counts all durations that are at most so long. */
function durations(requestMetrics: RequestMetrics, name: string): readonly Line[] {
  return [...requestMetrics.entries()].flatMap(([protocol, { counts, sumMs }]) => {
    let total = 0;
    const buckets = counts.map((count, i): Line => {
      total += count;
      const most = UP_TO_MS[i];
      const le = most === undefined ? '+Inf' : most / 1000;
      return { labels: { le, protocol }, value: total, metricName: `${name}_bucket` };
    });
    const labels = { protocol };
    return [
      ...buckets,
      { labels, value: sumMs / 1000, metricName: `${name}_sum` },
      { labels, value: total, metricName: `${name}_count` },
    ];
  });
}
