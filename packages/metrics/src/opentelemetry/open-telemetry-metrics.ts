import { type SluiceEvents, subscribe } from '@sluice/core';
import { optionError } from '@sluice/core/values';
import { CATALOGUE, type Metric, type MetricId } from '../catalogue.js';
import { CALL_BUCKETS, CallMeasures, type CallMetric } from '../money/call-measures.js';
import { onSettledCall } from '../money/settled-call.js';
import { checkedOptions, type MetricsOptions } from '../options.js';
import type { Labels } from '../read/sample.js';
import { SampleReader } from '../read/sample-reader.js';
import type { Attributes, ObservableResult, OpenTelemetryMeter, RecordingHistogram } from './meter.js';

/** Options of `openTelemetryMetrics`. */
export interface OpenTelemetryOptions extends MetricsOptions {
  /** The meter that makes the instruments: `metrics.getMeter('sluice')` of `@opentelemetry/api`. */
  meter: OpenTelemetryMeter;
}

/** The meters that show the metrics now. A second time, each value of a histogram would count twice. */
const meters = new WeakSet<OpenTelemetryMeter>();

/**
 * Shows what all limits of this process do by OpenTelemetry. Call it once for a meter, after your `MeterProvider` is registered.
 *
 * The counters are read when your reader collects, so they cost nothing per request. Histograms of OpenTelemetry cannot be
 * read: calls of stores, delays, waits in lines and calls of models are recorded one by one, when they end.
 *
 * @returns a function that ends it
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * import { metrics } from '@opentelemetry/api';
 *
 * openTelemetryMetrics({ meter: metrics.getMeter('sluice') });
 */
export function openTelemetryMetrics(options: OpenTelemetryOptions): () => void {
  const checked = checkedOptions(options, ['meter']);
  const { meter } = options;
  if (typeof meter?.addBatchObservableCallback !== 'function') {
    throw optionError('meter', "must be a meter, like metrics.getMeter('sluice') of @opentelemetry/api", meter);
  }
  if (meters.has(meter))
    throw optionError(
      'meter',
      'must not show these metrics yet: end them first, by the function that was returned',
      meter,
    );
  const reader = new SampleReader(checked);
  const endRecording = recordDurations(meter, reader);
  const endCalls = recordCalls(meter, reader);
  const endObserving = observeSamples(meter, reader);
  meters.add(meter);
  return () => {
    meters.delete(meter);
    endRecording();
    endCalls();
    endObserving();
    reader.stop();
  };
}

/** Lets the meter read all counters and gauges together, so that they agree. */
function observeSamples(meter: OpenTelemetryMeter, reader: SampleReader): () => void {
  const instruments = new Map<MetricId, object>();
  for (const id of Object.keys(CATALOGUE) as MetricId[]) {
    const instrument = observable(meter, CATALOGUE[id]);
    if (instrument) instruments.set(id, instrument);
  }
  const attributes = new AttributeCache();
  const observe = (result: ObservableResult): void => {
    const samples = reader.read();
    for (const [id, instrument] of instruments) {
      for (const { labels, value } of samples.get(id) ?? []) {
        if (typeof value === 'number') result.observe(instrument, value, attributes.of(labels));
      }
    }
  };
  const observed = [...instruments.values()];
  meter.addBatchObservableCallback(observe, observed);
  return () => meter.removeBatchObservableCallback(observe, observed);
}

/** A gauge whose values of several processes are added is a sum for OpenTelemetry. */
function observable(meter: OpenTelemetryMeter, metric: Metric): object | undefined {
  const { type, instrument, help: description, unit, across } = metric;
  if (type === 'histogram') return undefined;
  const options = { description, unit };
  if (type === 'counter') return meter.createObservableCounter(instrument, options);
  if (across === 'sum') return meter.createObservableUpDownCounter(instrument, options);
  return meter.createObservableGauge(instrument, options);
}

/** The ends of the buckets, in seconds, unless a view of yours says otherwise. */
const CALLS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];
const WAITS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

function recordDurations(meter: OpenTelemetryMeter, reader: SampleReader): () => void {
  const calls = histogram(meter, CATALOGUE.storeDuration, CALLS_S);
  const delays = histogram(meter, CATALOGUE.delay, WAITS_S);
  const waits = histogram(meter, CATALOGUE.wait, WAITS_S);
  return subscribe('sluice:duration', (event: SluiceEvents['sluice:duration']) => {
    const seconds = event.durationMs / 1000;
    if (event.kind === 'store-call') {
      calls.record(seconds, { 'sluice.store': event.store, 'sluice.operation': event.operation });
    } else if (event.kind === 'delay') {
      const [policy = '', limit = ''] = reader.namesOf(event.policy, event.limit);
      delays.record(seconds, { 'sluice.policy': policy, 'sluice.limit': limit });
    } else {
      const [policy = ''] = reader.namesOf(event.policy);
      waits.record(seconds, { 'sluice.policy': policy });
    }
  });
}

/** Calls of models are published, and not counted anywhere else. */
function recordCalls(meter: OpenTelemetryMeter, reader: SampleReader): () => void {
  const measures = new CallMeasures((policy) => reader.namesOf(policy)[0] as string);
  const ids = Object.keys(CALL_BUCKETS) as CallMetric[];
  const histograms = new Map(ids.map((id) => [id, histogram(meter, CATALOGUE[id], CALL_BUCKETS[id])]));
  return onSettledCall((call) => {
    for (const { metric, value, labels } of measures.of(call)) {
      const named = CATALOGUE[metric].labels.flatMap((label, i): [string, string][] => {
        const text = labels[i] ?? '';
        return text === '' ? [] : [[`sluice.${label}`, text]];
      });
      histograms.get(metric)?.record(value, Object.fromEntries(named));
    }
  });
}

function histogram(meter: OpenTelemetryMeter, metric: Metric, boundaries: readonly number[]): RecordingHistogram {
  const { instrument, help: description, unit } = metric;
  return meter.createHistogram(instrument, {
    description,
    unit,
    advice: { explicitBucketBoundaries: [...boundaries] },
  });
}

/** Attributes are labels with `sluice.` before their names. */
class AttributeCache {
  readonly #attributes = new WeakMap<Labels, Attributes>();

  of(labels: Labels): Attributes {
    const known = this.#attributes.get(labels);
    if (known) return known;
    const named = Object.entries(labels).map(([label, value]) => [`sluice.${label}`, value]);
    const attributes: Attributes = Object.fromEntries(named);
    this.#attributes.set(labels, attributes);
    return attributes;
  }
}
