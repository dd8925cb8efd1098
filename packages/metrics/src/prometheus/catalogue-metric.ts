import { CATALOGUE, type Metric, type MetricId } from '../catalogue.js';
import type { Histogram } from '../read/histogram.js';
import type { Labels, Sample, Samples } from '../read/sample.js';
import type { RegisteredMetric } from './registry.js';
import type { Turns } from './turns.js';

/** One line of a metric, as both libraries know it. */
interface Line {
  readonly labels: Labels | Readonly<Record<string, string | number>>;
  /** Further labels, whose text the library keeps as long as the object is the same. */
  readonly sharedLabels?: Labels;
  readonly value: number;
  readonly metricName?: string;
}

/** A metric with so many samples is rendered in a turn of its own. */
const MANY_SAMPLES = 200;

const NO_LABELS: Labels = Object.freeze({});

/**
 * A metric of the catalogue in a registry. It has no numbers of its own: it reads them when it is asked. A counter of the
 * library would have to be reset and incremented for each label set at each scrape, and a histogram of the library
 * cannot be set at all.
 */
export class CatalogueMetric implements RegisteredMetric {
  /** Registries of the OpenMetrics format change it: there, the name of a counter has no `_total`. */
  name: string;
  readonly help: string;
  readonly type: Metric['type'];
  readonly aggregator: Metric['across'];
  readonly #id: MetricId;
  readonly #read: () => Samples;
  readonly #turns: Turns;

  constructor(id: MetricId, prefix: string, read: () => Samples, turns: Turns) {
    const { name, help, type, across } = CATALOGUE[id];
    this.name = prefix + name;
    this.help = help;
    this.type = type;
    this.aggregator = across;
    this.#id = id;
    this.#read = read;
    this.#turns = turns;
  }

  /** Returns the metric as data, which is also sent from the workers of a cluster. */
  async get(): Promise<object> {
    const values = this.#linesOf(this.#samples()).map(({ sharedLabels, labels, ...line }) => ({
      ...line,
      labels: { ...sharedLabels, ...labels },
    }));
    return this.#described(values);
  }

  /** Both libraries prefer this to `get` if they make text: the text of `sharedLabels` is made once. */
  async getForPromString(): Promise<object> {
    const samples = this.#samples();
    if (samples.length >= MANY_SAMPLES) await this.#turns.next();
    return this.#described(this.#linesOf(samples));
  }

  /** Does nothing: counters never go down. */
  reset(): void {}

  #samples(): readonly Sample[] {
    return this.#read().get(this.#id) ?? [];
  }

  #linesOf(samples: readonly Sample[]): readonly Line[] {
    return samples.flatMap((sample) => linesOf(sample, this.name));
  }

  #described(values: readonly Line[]): object {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values };
  }
}

function linesOf({ labels, value }: Sample, name: string): Line | readonly Line[] {
  if (typeof value === 'number') return { labels: NO_LABELS, sharedLabels: labels, value };
  return histogramOf(value, labels, name);
}

/** A histogram of Prometheus counts in each bucket all values that are at most so large. */
function histogramOf({ upTo, counts, sum }: Histogram, sharedLabels: Labels, name: string): readonly Line[] {
  let total = 0;
  const buckets = counts.map((count, i): Line => {
    total += count;
    return { labels: { le: upTo[i] ?? '+Inf' }, sharedLabels, value: total, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels: NO_LABELS, sharedLabels, value: sum, metricName: `${name}_sum` },
    { labels: NO_LABELS, sharedLabels, value: total, metricName: `${name}_count` },
  ];
}
