import { describe, expect, it } from '@jest/globals';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import {
  type DataPoint,
  type Histogram,
  MeterProvider,
  type MetricData,
  type ViewOptions,
} from '@opentelemetry/sdk-metrics';
import { createLimiter, createLine, leakyBucket, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { CATALOGUE, type Metric, openTelemetryMetrics } from '../src/index.js';

/** Collects what OpenTelemetry's SDK has after the work was done. */
async function collected(
  work: () => unknown,
  views: ViewOptions[] = [],
): Promise<Readonly<Record<string, MetricData>>> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter], views });
  const end = openTelemetryMetrics({ meter: provider.getMeter('sluice') });
  await work();
  const { resourceMetrics, errors } = await exporter.collect();
  expect(errors).toEqual([]);
  end();
  await provider.shutdown();
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  return Object.fromEntries(metrics.map((metric) => [metric.descriptor.name, metric]));
}

const status = {
  revision: 'a1b2',
  enforcement: 'on',
  reloads: { applied: 1, unchanged: 0, rejected: 0 },
  lastReload: { successful: true, succeededAtMs: 1000 },
  limits: [{ policy: 'filed', limit: 'minute', tier: 'pro', quota: 5, windowMs: 60_000, enforce: 1 }],
  braked: [],
} as const;

describe('openTelemetryMetrics', () => {
  it('makes every instrument of the catalogue with its description and unit', async () => {
    const exporter = new PrometheusExporter({ preventServerStart: true });
    const provider = new MeterProvider({ readers: [exporter] });
    const made: [name: string, kind: string, description: string, unit: string][] = [];
    const meter = provider.getMeter('sluice');
    const noting = new Proxy(meter, {
      get(target, method: keyof typeof meter) {
        const call = target[method] as (...args: unknown[]) => unknown;
        if (!method.startsWith('create')) return call.bind(target);
        return (name: string, options: { description: string; unit: string }) => {
          made.push([name, method.slice('create'.length), options.description, options.unit]);
          return call.call(target, name, options);
        };
      },
    });
    openTelemetryMetrics({ meter: noting, policies: { status: () => status } })();
    await provider.shutdown();
    const kindOf = ({ type, across }: Metric): string => {
      if (type === 'histogram') return 'Histogram';
      if (type === 'counter') return 'ObservableCounter';
      return across === 'sum' ? 'ObservableUpDownCounter' : 'ObservableGauge';
    };
    const expected = Object.values<Metric>(CATALOGUE).map((metric) => [
      metric.instrument,
      kindOf(metric),
      metric.help,
      metric.unit,
    ]);
    expect(made.sort()).toEqual(expected.sort());
  });

  it('records each delay and each wait', async () => {
    const clock = new ManualClock();
    const store = new MemoryStore({ clock });
    const metrics = await collected(async () => {
      const delayed = createLimiter({ name: 'delayed', store, limit: leakyBucket({ capacity: 5, leakRate: 10 }) });
      for (let i = 0; i < 3; i += 1) delayed.consume('key');
      const line = createLine({ limiter: createLimiter({ name: 'waited', store, limit: 1, window: '1s' }) });
      const work = [1, 2].map(() => line.run('key', async () => undefined));
      await clock.advance(0);
      await clock.advance(1000);
      await Promise.all(work);
    });
    const pointsOf = (name: string) => metrics[name]?.dataPoints as DataPoint<Histogram>[];
    expect(pointsOf('sluice.delay')).toMatchObject([
      {
        attributes: { 'sluice.policy': 'delayed', 'sluice.limit': 'delayed' },
        value: { count: 2, min: 0.1, max: 0.2, buckets: { counts: [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0] } },
      },
    ]);
    expect(pointsOf('sluice.wait')).toMatchObject([{ attributes: { 'sluice.policy': 'waited' }, value: { sum: 1 } }]);
  });

  it('shows nothing more after it was ended', async () => {
    const exporter = new PrometheusExporter({ preventServerStart: true });
    const provider = new MeterProvider({ readers: [exporter] });
    const end = openTelemetryMetrics({ meter: provider.getMeter('sluice') });
    end();
    const limiter = createLimiter({ name: 'ended', limit: leakyBucket({ capacity: 5, leakRate: 10 }) });
    for (let i = 0; i < 3; i += 1) limiter.consume('key');
    const { resourceMetrics } = await exporter.collect();
    expect(
      resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics.map(({ dataPoints }) => dataPoints.length)),
    ).toEqual([]);
    await provider.shutdown();
  });

  it('refuses a meter that shows the metrics already, whose histograms would count everything twice', async () => {
    const exporter = new PrometheusExporter({ preventServerStart: true });
    const provider = new MeterProvider({ readers: [exporter] });
    const begin = () => openTelemetryMetrics({ meter: provider.getMeter('sluice') });
    const end = begin();
    expect(begin).toThrow('meter must not show these metrics yet');
    end();
    begin()();
    await provider.shutdown();
  });

  it('has a series for every policy and limit, and counts those beyond 1,000 together', async () => {
    // The SDK shows 2,000 series of an instrument, unless a view says otherwise.
    const views = [{ instrumentName: 'sluice.*', aggregationCardinalityLimit: 20_000 }];
    const metrics = await collected(() => {
      const store = new MemoryStore();
      for (let i = 0; i < 1100; i += 1)
        createLimiter({ name: `made ${i}`, store, limit: 1, window: '1m' }).consume('key');
    }, views);
    const points = metrics['sluice.decisions']?.dataPoints as DataPoint<number>[];
    expect(points.filter(({ attributes }) => attributes['otel.metric.overflow'])).toEqual([]);
    const others = points.filter(({ attributes }) => attributes['sluice.policy'] === 'other');
    expect(others).toHaveLength(12);
    expect(others.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(100);
    expect(metrics['sluice.series_capped']?.dataPoints).toMatchObject([{ value: 1 }]);
  });

  it.each([
    [undefined, 'options must be an object, got undefined'],
    [{}, "meter must be a meter, like metrics.getMeter('sluice') of @opentelemetry/api, got undefined"],
    [
      { meter: {}, prefix: 'a' },
      'prefix is not an option: the options are policies, nearRatio, budgets, tierOf, clock, meter, got "a"',
    ],
  ])('refuses wrong options: %#', (options, message) => {
    expect(() => openTelemetryMetrics(options as never)).toThrow(`${message} (SLUICE_OPTION)`);
  });
});
