import { CATALOGUE, type Metric, type MetricId } from '../catalogue.js';
import type { Histogram } from './histogram.js';

/** The labels of a sample by their names. The same object each time it is read, if its names do not change. */
export type Labels = Readonly<Record<string, string>>;

/** One number of a counter or a gauge, or the buckets of a histogram. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number | Histogram;
}

/** The samples of each metric. A metric that nothing has to say about is absent. */
export type Samples = ReadonlyMap<MetricId, readonly Sample[]>;

/** Labels by their values: each value leads to the next one. To join them would take longer than all the rest. */
interface LabelTree {
  readonly next: Map<string, LabelTree>;
  labels?: Labels;
}

/** Collects samples, and keeps their labels for the next time. */
export class SampleCollector {
  readonly #labels: LabelTree = { next: new Map() };
  #samples = new Map<MetricId, Sample[]>();

  /** Adds a sample. `values` are the values of the labels, in the order of the catalogue. */
  add(metric: MetricId, value: number | Histogram, ...values: readonly string[]): void {
    let tree = nextOf(this.#labels, metric);
    for (const name of values) tree = nextOf(tree, name);
    tree.labels ??= labelsOf(metric, values);
    this.#push(metric, { labels: tree.labels, value });
  }

  /** Adds a sample whose labels are not kept, because they may soon be others. */
  addOnce(metric: MetricId, value: number, ...values: readonly string[]): void {
    this.#push(metric, { labels: labelsOf(metric, values), value });
  }

  /** Returns what was added since the last time. */
  take(): Samples {
    const samples = this.#samples;
    this.#samples = new Map();
    return samples;
  }

  #push(metric: MetricId, sample: Sample): void {
    const samples = this.#samples.get(metric);
    if (samples) samples.push(sample);
    else this.#samples.set(metric, [sample]);
  }
}

function nextOf({ next }: LabelTree, value: string): LabelTree {
  const known = next.get(value);
  if (known) return known;
  const made: LabelTree = { next: new Map() };
  next.set(value, made);
  return made;
}

/** A label without a value is left out: in Prometheus it means the same. */
function labelsOf(id: MetricId, values: readonly string[]): Labels {
  const { labels }: Metric = CATALOGUE[id];
  const named = labels.map((label, i): [string, string] => [label, values[i] ?? '']);
  return Object.freeze(Object.fromEntries(named.filter(([, value]) => value !== '')));
}
